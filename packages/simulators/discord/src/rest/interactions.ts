import { readJson } from "../body.ts";
import { answerInteraction, deleteAnswer, editAnswer, findAnswer, followUp } from "../interactions.ts";
import { toMessage } from "../message-payload.ts";
import { viewerOf } from "../payload.ts";
import type { Message } from "../world.ts";
import { readQuery } from "./queries.ts";
import { nothing, type OpenCall, ok, type Route } from "./router.ts";

function show(call: OpenCall, message: Message, applicationId: string): Readonly<Record<string, unknown>> {
  const bot = call.world.applications.get(applicationId);
  return toMessage(
    call.world,
    message,
    bot ? viewerOf(bot) : { userId: applicationId, seesContent: false, seesMembers: false },
  );
}

function saidIn(call: OpenCall) {
  return { json: readJson(call.request), files: call.request.files };
}

function addressed(call: OpenCall) {
  return { applicationId: call.param("application"), token: call.param("token"), messageId: call.param("message") };
}

function answer(call: OpenCall) {
  const query = readQuery(call.request);
  const isWanted = query.flag("with_response") ?? false;
  query.check();
  const interaction = answerInteraction(call.parts.interactions, {
    id: call.param("interaction"),
    token: call.param("token"),
    ...saidIn(call),
  });
  if (!isWanted) return nothing;
  const { original, callback } = interaction;
  const isMessage = original && callback !== 6;
  return ok({
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(isMessage
        ? {
            response_message_id: original.id,
            response_message_loading: (original.flags & (1 << 7)) !== 0,
            response_message_ephemeral: (original.flags & (1 << 6)) !== 0,
          }
        : {}),
    },
    resource: { type: callback, ...(isMessage ? { message: show(call, original, interaction.applicationId) } : {}) },
  });
}

function follow(call: OpenCall) {
  return ok(
    show(call, followUp(call.parts.interactions, { ...addressed(call), ...saidIn(call) }), call.param("application")),
  );
}

function get(call: OpenCall) {
  return ok(show(call, findAnswer(call.parts.interactions, addressed(call)), call.param("application")));
}

function edit(call: OpenCall) {
  return ok(
    show(call, editAnswer(call.parts.interactions, { ...addressed(call), ...saidIn(call) }), call.param("application")),
  );
}

function remove(call: OpenCall) {
  deleteAnswer(call.parts.interactions, addressed(call));
  return nothing;
}

/** Answers to interactions; their token is in the path. @see https://discord.com/developers/docs/interactions/receiving-and-responding */
export const interactionRoutes: readonly Route[] = [
  { route: "POST /interactions/:interaction/:token/callback", isOpen: true, handle: answer },
  { route: "POST /webhooks/:application/:token", isOpen: true, handle: follow },
  { route: "GET /webhooks/:application/:token/messages/:message", isOpen: true, handle: get },
  { route: "PATCH /webhooks/:application/:token/messages/:message", isOpen: true, handle: edit },
  { route: "DELETE /webhooks/:application/:token/messages/:message", isOpen: true, handle: remove },
];
