import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  Events,
  type Interaction,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  type TextChannel,
} from "discord.js";
import { expect, test } from "vitest";
import { ask, createSetClock, login, startScene } from "./testing/scene.ts";

const askCommand = new SlashCommandBuilder()
  .setName("ask")
  .setDescription("Asks something")
  .addStringOption((option) =>
    option.setName("question").setDescription("What to ask").setRequired(true).setAutocomplete(true),
  )
  .addUserOption((option) => option.setName("whom").setDescription("Whom to ask"));
const boatCommand = new SlashCommandBuilder()
  .setName("boat")
  .setDescription("Boats")
  .addSubcommand((command) =>
    command
      .setName("buy")
      .setDescription("Buys one")
      .addIntegerOption((option) => option.setName("price").setDescription("How much")),
  );

function onInteraction(client: Client, handle: (interaction: Interaction) => Promise<unknown>): void {
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
}

async function registered(client: Client<true>): Promise<void> {
  await client.application.commands.set([askCommand, boatCommand]);
}

test("a command is registered, used, put off and answered by an edit", async () => {
  const { simulator, general, mira, bot } = await startScene();
  const client = await login(simulator);
  await registered(client);
  expect(bot.commands().map(({ name }) => name)).toEqual(["ask", "boat"]);
  onInteraction(client, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    const whom = interaction.options.getUser("whom");
    await interaction.editReply(`${interaction.options.getString("question")}, ${whom?.username}?`);
    await interaction.followUp({ content: "for your eyes", flags: 64 });
  });
  const used = mira.useCommand(general, "ask", { question: "Who", whom: mira });
  expect(await used.acknowledged()).toBe(5);
  const reply = await used.reply();
  expect(reply.content).toBe("Who, mira?");
  expect(general.messages()).toEqual([reply]);
});

test("subcommands carry their options and a wrong use is refused before the bot is asked", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  await registered(client);
  onInteraction(client, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply(`${interaction.options.getSubcommand()} for ${interaction.options.getInteger("price")}`);
  });
  expect((await mira.useCommand(general, "boat buy", { price: 3 }).reply()).content).toBe("buy for 3");
  expect(() => mira.useCommand(general, "ask", {})).toThrow('/ask needs the option "question"');
  expect(() => mira.useCommand(general, "boat buy", { price: "much" })).toThrow("takes a whole number");
  expect(() => mira.useCommand(general, "row")).toThrow(
    "no bot here has registered /row, or it is not for this person and place",
  );
});

test("options are completed as they are typed", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  await registered(client);
  onInteraction(client, async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const typed = interaction.options.getFocused();
    await interaction.respond([{ name: `${typed}?`, value: typed }]);
  });
  const choices = await mira.complete(general, { name: "ask", values: { question: "Wh" }, focused: "question" });
  expect(choices).toEqual([{ name: "Wh?", value: "Wh" }]);
});

test("buttons and menus work, and forms are sent in", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  const button = new ButtonBuilder().setCustomId("yes").setLabel("Yes").setStyle(ButtonStyle.Primary);
  const menu = new StringSelectMenuBuilder().setCustomId("which").addOptions({ label: "One", value: "1" });
  const components = [
    new ActionRowBuilder<ButtonBuilder>().addComponents(button),
    new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(menu),
  ];
  const channel = (await client.channels.fetch(general.id)) as TextChannel;
  const { id } = await channel.send({ content: "Sure?", components });
  onInteraction(client, async (interaction) => {
    if (interaction.isButton()) await interaction.update({ content: "Sure!", components });
    if (interaction.isStringSelectMenu()) {
      await interaction.showModal({
        custom_id: "form",
        title: "Why?",
        components: [{ type: 1, components: [{ type: 4, custom_id: "why", label: "Why", style: 1 }] }],
      });
    }
    if (interaction.isModalSubmit())
      await interaction.reply({ content: interaction.fields.getTextInputValue("why"), flags: 64 });
  });
  const [message] = general.messages();
  if (!message) throw new Error("nothing was sent");
  expect(await mira.click(message, "yes").acknowledged()).toBe(7);
  expect([message.id, message.content]).toEqual([id, "Sure!"]);
  const chosen = mira.choose(message, "which", ["1"]);
  expect(await chosen.acknowledged()).toBe(9);
  expect((await mira.submit(chosen, { why: "Because" }).reply()).content).toBe("Because");
  expect(general.messages()).toHaveLength(1);
});

test("an answer after three seconds is too late, a second one is too many", async () => {
  const clock = createSetClock();
  const { simulator, general, mira, bot } = await startScene({ clock });
  await registered(await login(simulator));
  const late = mira.useCommand(general, "ask", { question: "x" });
  const answer = (used: { readonly id: string; readonly token: string }) =>
    ask(simulator, `POST /interactions/${used.id}/${used.token}/callback`, { type: 4, data: { content: "x" } }, null);
  clock.advance(3001);
  expect((await answer(late)).json).toMatchObject({ code: 10062, message: "Unknown interaction" });
  const used = mira.useCommand(general, "ask", { question: "x" });
  const early = await ask(simulator, `POST /webhooks/${bot.id}/${used.token}`, { content: "x" }, null);
  expect(early.json).toMatchObject({ code: 10015 });
  expect((await answer(used)).status).toBe(204);
  expect((await answer(used)).json).toMatchObject({ code: 40060 });
  const edit = () =>
    ask(simulator, `PATCH /webhooks/${bot.id}/${used.token}/messages/@original`, { content: "y" }, null);
  expect((await edit()).status).toBe(200);
  clock.advance(15 * 60_000);
  expect((await edit()).json).toMatchObject({ code: 50027 });
});

test("a command in direct messages comes with the user", async () => {
  const { simulator, mira, bot } = await startScene();
  const client = await login(simulator);
  await registered(client);
  onInteraction(client, async (interaction) => {
    if (interaction.isChatInputCommand())
      await interaction.reply(`${interaction.user.username} ${interaction.inGuild()}`);
  });
  expect((await mira.useCommand(mira.directMessages(bot), "ask", { question: "x" }).reply()).content).toBe(
    "mira false",
  );
});

test("commands keep their ids and versions as long as they are the same, and wrong ones are refused field by field", async () => {
  const { simulator, guild, bot } = await startScene();
  const path = `/applications/${bot.id}/commands`;
  const good = { name: "ask", description: "Asks" };
  const first = (await ask(simulator, `PUT ${path}`, [good])).json as unknown as { id: string; version: string }[];
  const same = (await ask(simulator, `PUT ${path}`, [good])).json as unknown as { id: string; version: string }[];
  expect(same).toEqual(first);
  const other = (await ask(simulator, `PUT ${path}`, [{ ...good, description: "Asks more" }])).json as unknown as {
    id: string;
    version: string;
  }[];
  expect([other[0]?.id === first[0]?.id, other[0]?.version === first[0]?.version]).toEqual([true, false]);
  const wrong = await ask(simulator, `PUT ${path}`, [good, { name: "Two Words", description: "" }, good]);
  expect(wrong.json).toMatchObject({
    code: 50035,
    errors: {
      "1": {
        name: { _errors: [{ code: "APPLICATION_COMMAND_INVALID_NAME" }] },
        description: { _errors: [{ code: "BASE_TYPE_BAD_LENGTH" }] },
      },
      "2": { _errors: [{ code: "APPLICATION_COMMANDS_DUPLICATE_NAME" }] },
    },
  });
  expect((await ask(simulator, `POST /applications/${bot.id}/guilds/${guild.id}/commands`, good)).status).toBe(201);
  expect((await ask(simulator, `GET /applications/1/commands`)).json["code"]).toBe(10002);
});

test("a command for a few is offered to nobody else, one for guilds not in direct messages", async () => {
  const { simulator, guild, general, mira, bot } = await startScene();
  const path = `PUT /applications/${bot.id}/commands`;
  const guarded = { name: "mute", description: "Mutes", default_member_permissions: "8192", contexts: [0] };
  expect((await ask(simulator, path, [{ ...guarded, default_member_permissions: "many" }])).json["code"]).toBe(50035);
  await ask(simulator, path, [guarded]);
  expect(() => mira.useCommand(general, "mute")).toThrow("not for this person");
  guild.change(mira, { roles: [guild.createRole({ name: "keeper", permissions: ["MANAGE_MESSAGES"] })] });
  expect(mira.useCommand(general, "mute").callbackType).toBe(null);
  expect(() => mira.useCommand(mira.directMessages(bot), "mute")).toThrow("not for this person");
});
