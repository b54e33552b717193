import { parentPort, workerData } from "node:worker_threads";
import { DocumentError } from "../errors.ts";
import { type ParseReply, type ParseRequest, parse } from "./parse.ts";

// What `parseInThread` put there, and nobody else starts this file.
const request = workerData as ParseRequest;

parentPort?.postMessage(await reply());

async function reply(): Promise<ParseReply> {
  try {
    return { type: "read", result: await parse(request) };
  } catch (error) {
    if (error instanceof DocumentError) return { type: "refused", problem: error.problem, message: error.message };
    return { type: "failed", message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
