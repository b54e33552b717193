import { createMemoryStore } from "./memory-store.ts";
import { storeContract } from "./store-contract.ts";

storeContract("the store in memory", async (clock) => {
  const store = createMemoryStore({ clock });
  return { store, close: () => store.admin.close() };
});
