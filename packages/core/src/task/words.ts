/** A length of time that people reckon in. */
export type Unit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";

function table<Value>(entries: readonly (readonly [value: Value, words: string])[]): ReadonlyMap<string, Value> {
  return new Map(entries.flatMap(([value, words]) => words.split(" ").map((word) => [word, value] as const)));
}

/** Units by what they are called in English and German. */
export const units = table<Unit>([
  ["second", "s sec secs second seconds sek sekunde sekunden"],
  ["minute", "m min mins minute minutes minuten"],
  ["hour", "h hr hrs hour hours std stunde stunden"],
  ["day", "d day days tag tage tagen"],
  ["week", "w week weeks woche wochen"],
  ["month", "month months monat monate monaten monats"],
  ["year", "y year years jahr jahre jahren"],
]);

/** Milliseconds of the units that always last as long. */
export const unitMs = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const;

/** Weekdays, 0 for Sunday. */
export const weekdays = table<number>([
  [0, "sunday sundays sun sonntag sonntags sonntage"],
  [1, "monday mondays mon montag montags montage"],
  [2, "tuesday tuesdays tue tues dienstag dienstags dienstage"],
  [3, "wednesday wednesdays wed mittwoch mittwochs mittwoche"],
  [4, "thursday thursdays thu thur thurs donnerstag donnerstags donnerstage"],
  [5, "friday fridays fri freitag freitags freitage"],
  [6, "saturday saturdays sat samstag samstags samstage sonnabend sonnabends"],
]);

/** Names of weekdays that say by themselves that it happens every week. */
export const weeklyNames = new Set(
  [...weekdays.keys()].filter(
    (word) => word.endsWith("days") || word.endsWith("tags") || word === "mittwochs" || word === "sonnabends",
  ),
);

/** Months, from 1. */
export const months = table<number>([
  [1, "january jan januar jänner"],
  [2, "february feb februar"],
  [3, "march mar märz"],
  [4, "april apr"],
  [5, "may mai"],
  [6, "june jun juni"],
  [7, "july jul juli"],
  [8, "august aug"],
  [9, "september sep sept"],
  [10, "october oct oktober okt"],
  [11, "november nov"],
  [12, "december dec dezember dez"],
]);

/** Numbers in words. */
export const numbers = table<number>([
  [1, "one a an ein eine einer einem einen eins"],
  [2, "two zwei"],
  [3, "three drei"],
  [4, "four vier"],
  [5, "five fünf"],
  [6, "six sechs"],
  [7, "seven sieben"],
  [8, "eight acht"],
  [9, "nine neun"],
  [10, "ten zehn"],
  [11, "eleven elf"],
  [12, "twelve zwölf"],
  [15, "fifteen fünfzehn"],
  [20, "twenty zwanzig"],
  [30, "thirty dreißig dreissig"],
  [45, "fünfundvierzig"],
  [60, "sixty sechzig"],
  [90, "ninety neunzig"],
]);

/** Parts of a day with the hour that is meant when none is said. */
export const dayParts = table<number>([
  [8, "morning mornings morgen morgens früh vormittag vormittags"],
  [12, "noon midday mittag mittags"],
  [15, "afternoon afternoons nachmittag nachmittags"],
  [19, "evening evenings abend abends"],
  [21, "night nights nacht nachts"],
]);

/** Words that are said again and again. */
export const everyWords = new Set(["every", "each", "jeden", "jede", "jedes", "jeder", "jedem", "alle"]);

/** Adverbs that say how often. */
export const oftenWords = table<Unit>([
  ["hour", "hourly stündlich"],
  ["day", "daily täglich everyday"],
  ["week", "weekly wöchentlich"],
  ["month", "monthly monatlich"],
  ["year", "yearly annually jährlich"],
]);

/** Days of work, and the others. */
export const dayGroups = table<readonly number[]>([
  [[1, 2, 3, 4, 5], "weekday weekdays workday workdays werktag werktags werktage werktagen wochentag wochentags"],
  [[6, 0], "weekend weekends wochenende wochenenden"],
]);
