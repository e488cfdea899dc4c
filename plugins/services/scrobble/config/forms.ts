// Forms of settings that are accepted beside those of the schema: older names, lists as text, ids in any case.
import { readInstance, readNumber, readProvider, readText } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'

type Raw = Readonly<Record<string, unknown>>

/** A shorter token counts as missing. */
export const SHORTEST_TOKEN = 16
/** Names of one window; the first is the current one. */
export const GUARDS = [
  'guard_autoplay_seconds',
  'suppress_autoplay_seconds',
  'post_stop_play_guard_seconds',
  'anti_autoplay_seconds',
] as const

function object(value: unknown): Raw {
  return isRecord(value) ? value : {}
}

/** Renames members from older names to the current ones. */
function renamed(value: unknown, names: Readonly<Record<string, string>>): Raw {
  const raw = object(value)
  const current = Object.entries(names).map(([older, name]) => [name, raw[name] ?? raw[older]])
  return { ...raw, ...Object.fromEntries(current) }
}

export const readRoute = (value: unknown) =>
  renamed(value, { providerInstance: 'provider_instance', sinkInstance: 'sink_instance' })

export const readSources = (value: unknown) => renamed(value, { watch: 'watcher' })

/** The id of a profile. A trailing `:<digits>` of old settings is cut off. */
export function readProfileId(value: unknown): string {
  return readInstance(readText(value).replace(/:\d+$/, ''))
}

/** A list as an array, a text with commas, or an object with truthy keys; undefined for anything else. */
export function readList(value: unknown): string[] | undefined {
  const parts = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : isRecord(value)
        ? Object.entries(value).flatMap(([key, one]) => (one ? [key] : []))
        : undefined
  if (parts === undefined || !parts.every((part) => typeof part === 'string' || typeof part === 'number')) {
    return undefined
  }
  return [...new Set(parts.map(readText).filter((part) => part !== ''))]
}

export function readProviders(value: unknown): unknown {
  const list = readList(value)
  return list === undefined ? value : [...new Set(list.map(readProvider))]
}

export function readTypes(value: unknown): unknown {
  const types = readList(value)
  if (types === undefined) return value
  return types.length === 0 ? undefined : [...new Set(types.map((type) => type.toLowerCase()))]
}

/** Older names of filters. */
export const FILTER_NAMES: Readonly<Record<string, string>> = {
  ignore_agregarr_trailers: 'ignore_placeholder_trailers',
}

/** Empty filters are left out. */
export function readFilters(value: unknown): Raw {
  const isEmpty = (one: unknown) => one === '' || one === null || (Array.isArray(one) && one.length === 0)
  return renamed(Object.fromEntries(Object.entries(object(value)).filter(([, one]) => !isEmpty(one))), FILTER_NAMES)
}

export function readTexts(value: unknown): unknown {
  const list = readList(value)
  return list?.length === 0 ? undefined : (list ?? value)
}

/** `mode` chose one source before there were switches. */
export function readMode(value: unknown): Raw {
  const raw = object(value)
  const mode = readText(raw['mode']).toLowerCase()
  const isOld = (mode === 'watch' || mode === 'webhook') && Object.keys(object(raw['sources'])).length === 0
  return isOld ? { ...raw, sources: { watcher: mode === 'watch', webhook: mode === 'webhook' } } : raw
}

/** Routes without an id get one. */
export function readRoutes(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const rows = value.map(object)
  const used = new Set(rows.map(({ id }) => readText(id)).filter((id) => id !== ''))
  return rows.map((raw) => {
    const id = readText(raw['id']) || nextRouteId(used)
    used.add(id)
    return { ...raw, id }
  })
}

/** The first free id of R1, R2, … */
export function nextRouteId(used: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) if (!used.has(`R${n}`)) return `R${n}`
}

/** Of several names for the window of autoplay, the longest counts. */
export function readGuard(value: unknown): Raw {
  const raw = object(value)
  const given = GUARDS.map((name) => raw[name]).filter((one) => one !== undefined && one !== null)
  const numbers = given.flatMap((one) => readNumber(one) ?? [])
  const areValid = numbers.length > 0 && numbers.length === given.length
  return { ...raw, guard_autoplay_seconds: areValid ? Math.max(...numbers) : given[0] }
}

/** @param names the values for all trackers; other keys are trackers with their own */
export function readPolicy(value: unknown, names: readonly string[]): Raw {
  return Object.fromEntries(
    Object.entries(object(value)).flatMap(([name, one]) =>
      names.includes(name) ? [[name, one]] : typeof one === 'object' && one !== null ? [[readProvider(name), one]] : [],
    ),
  )
}

/** `profile:mediaA:Default`. */
export function readTokens(value: unknown): Raw {
  return Object.fromEntries(
    Object.entries(object(value)).flatMap(([name, token]) => {
      const [kind = '', provider, instance] = name.split(':')
      const key = [kind, ...(provider === undefined ? [] : [readProvider(provider)])]
      const full = [...key, ...(instance === undefined ? [] : [readProfileId(instance)])].join(':')
      return typeof token === 'string' && token.length < SHORTEST_TOKEN ? [] : [[full, token]]
    }),
  )
}

/** If a key has two spellings, the normalized one counts. */
export function keyed(value: unknown, nameOf: (key: string) => string): Raw {
  const all = object(value)
  const entries = Object.entries(all).filter(([key]) => nameOf(key) === key || !Object.hasOwn(all, nameOf(key)))
  return Object.fromEntries(entries.map(([key, one]) => [nameOf(key), one]))
}
