/** Which steps of plugins' schemas ran, and whose their tables are. Never changed once released: a later change is a later migration. */
export const pluginTables = `
create table plugin_step(
  plugin text not null, place integer not null, name text not null, checksum text not null, at integer not null,
  primary key(plugin, place)
) strict, without rowid;
create table plugin_table(name text primary key, plugin text not null) strict, without rowid;
`;
