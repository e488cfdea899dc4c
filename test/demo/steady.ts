// Turns a recorded response into a short and stable example: lists are cut, and values that differ between runs (times, ids,
// ports, durations, sizes) are replaced by fixed values in order of appearance.

import { join } from 'node:path'

interface Schema {
  readonly $ref?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

const KEPT_ITEMS = 2
const KEPT_FIELDS = 3
const START_MS = Date.UTC(2026, 6, 1, 18)
const STEP_MS = 60_000
const MEASURED = /(?:^|_)(?:ms|bytes|size|rss|heap|uptime|duration|elapsed|took|latency|cpu)(?:$|_)|Ms$|Bytes$/i

const HEX = '9b3cf1a07d52e846'.repeat(4)
const WORD = 'Qm5xT8vLr2NcYwKzB7hJ4pFgD6sVaE9uRiXoM3tZ1bWkHyCnGd'
const ROOT = join(import.meta.dirname, '../..')
/** Replacements in strings, in this order: a fixed string, or a counter. */
const VOLATILE: readonly (readonly [RegExp, string | ((found: string, count: number) => string)])[] = [
  [/\/[\w/.-]*playhead-examples-\w+/g, '/data'],
  [new RegExp(RegExp.escape(ROOT), 'g'), '/app'],
  [/http%3A%2F%2F127\.0\.0\.1%3A\d+/g, 'http%3A%2F%2F192.168.1.10%3A8787'],
  [/https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/g, (_, count) => `http://192.168.1.${count + 10}:8096`],
  [/\b(?:127\.0\.0\.1|localhost)(?::\d+)?\b/g, '192.168.1.10'],
  [/\b20\d\d-\d\d-\d\d(?=\/)/g, '2026-07-01'],
  [/\b20\d{6}T\d{6}Z/g, '20260701T180000Z'],
  [/(?<=@)1[789]\d{8}\b/g, String(START_MS / 1_000)],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, (_, count) => `5f0c2a1e-4b7d-4c1a-9d3e-${padded(count, 12)}`],
  [/\b[0-9a-f]{16,64}\b/gi, ({ length }, count) => `${padded(count, 4)}${HEX}`.slice(0, length)],
  [
    /\b(?=[\w-]*\d)(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{20,}\b/g,
    ({ length }, count) => `${padded(count, 3)}${WORD}`.slice(0, length),
  ],
]

function padded(count: number, length: number): string {
  return String(count).padStart(length, '0')
}

/** @param schemas the named schemas of the description */
export function steady(
  example: object,
  responseSchema: object | undefined,
  schemas: Readonly<Record<string, object>>,
): object {
  const whole = ({ $ref, ...own }: Schema): Schema =>
    $ref === undefined ? own : ((schemas[$ref.split('/').at(-1) as string] as Schema | undefined) ?? own)

  const fixed = createFixed()
  const { response, ...rest } = example as { readonly response?: unknown }
  return JSON.parse(
    JSON.stringify({
      ...(fixed(rest, '') as object),
      response: fixed(shortened(response, responseSchema as Schema, whole), ''),
    }),
  ) as object
}

function shortened(value: unknown, given: Schema | undefined, whole: (schema: Schema) => Schema): unknown {
  const schema = given === undefined ? undefined : whole(given)
  if (Array.isArray(value)) return value.slice(0, KEPT_ITEMS).map((one) => shortened(one, schema?.items, whole))
  if (typeof value !== 'object' || value === null) return value
  const choice = schema?.anyOf
    ?.map(whole)
    .find(({ properties, items }) => properties !== undefined || items !== undefined)
  const { allOf = [], additionalProperties, patternProperties, ...own } = choice ?? schema ?? {}
  const properties =
    own.properties ?? (allOf.length === 0 ? undefined : Object.assign({}, ...allOf.map((one) => whole(one).properties)))
  const named = Object.entries(value).filter(([name]) => properties?.[name] !== undefined)
  const others = Object.entries(value)
    .filter(([name]) => properties?.[name] === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const other =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  return Object.fromEntries([
    ...named.map(([name, one]) => [name, shortened(one, properties?.[name], whole)]),
    ...(properties === undefined ? others.slice(0, KEPT_FIELDS) : others).map(([name, one]) => [
      name,
      shortened(one, other, whole),
    ]),
  ])
}

function createFixed(): (value: unknown, name: string) => unknown {
  const times = new Map<number, number>()
  const ids = new Map<string, string>()
  const timeOf = (ms: number): number => {
    const second = Math.floor(ms / 1_000)
    return times.getOrInsertComputed(second, () => START_MS + times.size * STEP_MS)
  }
  const idOf = (text: string, form: (count: number) => string): string =>
    ids.getOrInsertComputed(text, () => form(ids.size + 1))

  function text(value: string): string {
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && isRecent(Date.parse(value)))
      return isoLike(value, timeOf(Date.parse(value)))
    let plain = value
    for (const [pattern, form] of VOLATILE)
      plain = plain.replaceAll(pattern, (found) =>
        typeof form === 'string' ? form : idOf(found, (count) => form(found, count)),
      )
    return plain
  }

  return function fixed(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map((one) => fixed(one, name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), fixed(one, key)]))
    if (typeof value === 'string') return text(value)
    if (typeof value !== 'number') return value
    if (isRecent(value)) return timeOf(value)
    if (isRecent(value * 1_000)) return Math.floor(timeOf(value * 1_000) / 1_000)
    if (!MEASURED.test(name) || value === 0) return value
    return Number.isInteger(value) ? 42 : 1.5
  }
}

/** Within about a year of now: a time of the recording or of the stand-ins' data. */
function isRecent(ms: number): boolean {
  return Math.abs(ms - Date.now()) < 2 * 365 * 86_400_000
}

function isoLike(value: string, ms: number): string {
  const iso = new Date(ms).toISOString()
  return value.includes('.')
    ? iso
    : value.endsWith('Z')
      ? iso.replace('.000Z', 'Z')
      : iso.slice(0, 19) + value.slice(19).replace(/^\.\d+/, '')
}
