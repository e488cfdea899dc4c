// Writes `docs/reference/fields.md`, the fields of an item with their units: `node sdk/generate-fields.ts`.
import { writeFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { SCHEMES } from './items/id-schemes.ts'
import { Item } from './items/item.ts'

/** The meaning of a field and its unit. */
const FIELD_NOTES: Readonly<Record<keyof Item, string>> = {
  type: 'The kind. `anime` is an entry of an anime service: a series, or a film with `film`',
  title: 'Shown to people. Never used to tell items apart by itself',
  year: 'Of the first release. Of a season: that of the show is `series_year`',
  ids: 'Ids of the item itself, as text, by scheme',
  show_ids: 'Ids of the show, for seasons and episodes',
  season: 'Number of the season; 0 holds the specials',
  episode: 'Number within the season, from 1; never an absolute number',
  series_title: 'Title of the show, for seasons and episodes',
  series_year: 'Year of the show',
  film: 'Anime only: the entry is a film',
  watched: 'History: it was watched. Also without a time',
  watched_at:
    'When it was watched to its end, UTC. A date alone if the time of day is not known; left out if nothing is',
  rating: 'Whole number from 1 to 10. Other scales: `ratingFrom` and `ratingTo`',
  rated_at: 'When it was rated, UTC',
  progress_ms: 'Position from the beginning, milliseconds',
  duration_ms: 'Length, milliseconds',
  progress_percent: 'Position, percent from 0 to 100. Only where the service has no length',
  progress_at: 'When the position was reached, UTC',
  progress_at_source: 'Set if the time is not the service’s',
  library_id: 'The library of a media server',
  added_at: 'Watchlist: when it was added, UTC',
  native: 'Ids of the row, of one account. Never sent to another one',
  transient: 'Helps to match and is never stored',
}

export function fieldsText(): string {
  const rows = Object.entries(Item.properties as Record<string, TSchema>).map(
    ([name, schema]) => `| \`${name}\` | ${typeOf(schema)} | ${FIELD_NOTES[name as keyof Item]} |`,
  )
  return `# Fields of an item

Made by \`node sdk/generate-fields.ts\` of \`sdk/items/item.ts\`.

All fields but \`type\` and \`ids\` may be missing, and a field that the service does not have is left out: no zero, no empty text, no invented time.

| Field | Type | Meaning and unit |
|---|---|---|
${rows.join('\n')}

Schemes of \`ids\` and \`show_ids\`: ${SCHEMES.map((scheme) => `\`${scheme}\``).join(', ')}.
`
}

function typeOf(schema: TSchema): string {
  const parts = (schema['anyOf'] ?? []) as readonly TSchema[]
  const constants = parts.flatMap((part) => (part['const'] === undefined ? [] : [`\`${String(part['const'])}\``]))
  if (constants.length > 0) return constants.join(', ')
  if (parts.length > 0) return parts.map(typeOf).join(' or ')
  const { minimum, maximum, pattern } = schema
  const from = minimum === undefined ? '' : ` from ${minimum}`
  const to = maximum === undefined ? '' : ` to ${maximum}`
  return `${pattern === undefined ? String(schema['type']) : 'ISO 8601 time, UTC'}${from}${to}`
}

if (import.meta.main) writeFileSync(new URL('../docs/reference/fields.md', import.meta.url), fieldsText())
