// Parses the general settings from a client.
import { defined, PlayheadError, type ProviderDescription, type SettingsChange } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { type NumberName, ratingTokenName, REMOVED_TYPES, type ScrobbleConfig } from '../settings.ts'
import { checkFlag, checkNumber, type FieldError, fieldError, refuse } from './field-errors.ts'
import { ratingToggle, reportsRatings, takesRatings, type World } from './providers.ts'
import { readList, readNumber } from './read.ts'
import { newToken, storedToken } from './tokens.ts'

const NUMBERS: Readonly<Record<string, readonly ['watch' | 'webhook' | 'policy', NumberName]>> = {
  watch_pause_debounce_seconds: ['watch', 'pause_debounce_seconds'],
  watch_suppress_start_at: ['watch', 'suppress_start_at'],
  watch_watched_at: ['policy', 'watched_at'],
  watch_force_stop_at: ['policy', 'force_stop_at'],
  watch_progress_step: ['policy', 'progress_step'],
  webhook_pause_debounce_seconds: ['webhook', 'pause_debounce_seconds'],
  webhook_suppress_start_at: ['webhook', 'suppress_start_at'],
}
const FLAGS = ['enabled', 'watch_autostart', 'global_auto_remove_watchlist']
const SOURCES = ['webhook', 'watcher', 'watch']

/** The change to store. Throws 400 `validation_failed` with all field errors, or `invalid_settings`. */
export function readSettingsInput(body: unknown, current: ScrobbleConfig, world: World): SettingsChange {
  if (!isRecord(body)) {
    throw new PlayheadError('PLH_INVALID', 'The settings are an object.', { wire: 'invalid_settings' })
  }
  const raters = world.descriptions.filter(reportsRatings)
  const types = body['global_auto_remove_types']
  const errors = [
    ...Object.keys(body).flatMap((name) => (isKnown(name, raters) ? [] : [unknownSetting(name)])),
    ...FLAGS.flatMap((name) => checkFlag(name, body[name])),
    ...checkSources(body['sources']),
    ...(types === undefined ? [] : checkTypes(types)),
    ...Object.entries(NUMBERS).flatMap(([name, [, number]]) => checkNumber(name, number, body[name])),
    ...raters.flatMap((source) => checkRatings(source, body, world)),
  ]
  if (errors.length > 0) throw refuse(errors)

  const { sources, enabled } = readSources(body)
  const { toggles, tokens } = readRatings(body, raters, current, world)
  const watch = { ...toggles, ...numbersOf(body, 'watch'), ...defined({ autostart: body['watch_autostart'] }) }
  return {
    ...defined({ enabled }),
    ...(Object.keys(sources).length === 0 ? {} : { sources }),
    ...defined({ auto_remove_watchlist: body['global_auto_remove_watchlist'] }),
    ...(types === undefined ? {} : { auto_remove_types: readTypes(types) }),
    ...(Object.keys(watch).length === 0 ? {} : { watch }),
    ...some('webhook', numbersOf(body, 'webhook')),
    ...some('policy', numbersOf(body, 'policy')),
    ...some('webhook_ids', tokens),
  }
}

function isKnown(name: string, raters: readonly ProviderDescription[]): boolean {
  if (Object.hasOwn(NUMBERS, name) || FLAGS.includes(name) || name === 'sources' || name === 'global_auto_remove_types')
    return true
  return raters.some((source) => name === ratingsField(source) || name === renewField(source))
}

function unknownSetting(name: string): FieldError {
  return fieldError('settings', 'unsupported_setting', `${JSON.stringify(name.slice(0, 80))} is no setting.`)
}

function checkSources(sources: unknown): FieldError[] {
  if (sources === undefined) return []
  if (!isRecord(sources)) return [fieldError('sources', 'invalid_structure', 'sources must be an object.')]
  return Object.entries(sources).flatMap(([name, value]) =>
    SOURCES.includes(name)
      ? checkFlag(`sources.${name}`, value)
      : [fieldError(`sources.${name.slice(0, 80)}`, 'unsupported_setting', 'There are webhook and watcher.')],
  )
}

// The main switch follows the sources, so that one click is enough.
function readSources(body: Readonly<Record<string, unknown>>) {
  if (body['sources'] === undefined) return { sources: {}, enabled: body['enabled'] as boolean | undefined }
  const { watcher, watch, webhook } = body['sources'] as Readonly<Record<string, boolean | undefined>>
  const own = watcher ?? watch
  const sources = { ...defined({ watcher: own, webhook }) }
  const values = Object.values(sources)
  if (values.includes(true)) return { sources, enabled: true }
  return { sources, enabled: values.length === 2 ? false : undefined }
}

function checkTypes(sent: unknown): FieldError[] {
  const types = readList(sent)
  const isKnownType = (type: string) => (REMOVED_TYPES as readonly string[]).includes(type.toLowerCase())
  if (types?.every(isKnownType) === true) return []
  const field = 'global_auto_remove_types'
  return [fieldError(field, 'invalid_choice', `${field} is a list of ${REMOVED_TYPES.join(', ')}.`)]
}

function readTypes(sent: unknown): readonly string[] {
  const types = (readList(sent) ?? []).map((type) => type.toLowerCase())
  return types.length === 0 ? ['movie'] : [...new Set(types)]
}

/** `global_mediaA_ratings` */
export function ratingsField({ token }: ProviderDescription): string {
  return `global_${token}_ratings`
}

function renewField(source: ProviderDescription): string {
  return `regenerate_${ratingsField(source)}_webhook`
}

function checkRatings(source: ProviderDescription, body: Readonly<Record<string, unknown>>, world: World) {
  const field = ratingsField(source)
  const sent = body[field]
  const errors = checkFlag(renewField(source), body[renewField(source)])
  if (sent === undefined) return errors
  if (!isRecord(sent)) return [...errors, fieldError(field, 'invalid_structure', `${field} must be an object.`)]
  for (const [name, value] of Object.entries(sent)) {
    // The overview contains this field, and clients send it back.
    if (name === 'endpoint_url') continue
    const at = `${field}.${name.slice(0, 80)}`
    if (raterOf(name, world) === undefined)
      errors.push(fieldError(at, 'unsupported_provider', `${name.slice(0, 80)} takes no ratings.`))
    else errors.push(...checkFlag(at, value))
  }
  return errors
}

function raterOf(name: string, { descriptions }: World): ProviderDescription | undefined {
  const wanted = name.toLowerCase()
  return descriptions.find(
    (one) => takesRatings(one) && (one.token.toLowerCase() === wanted || one.id.toLowerCase() === wanted),
  )
}

function readRatings(
  body: Readonly<Record<string, unknown>>,
  raters: readonly ProviderDescription[],
  current: ScrobbleConfig,
  world: World,
) {
  const toggles: Record<string, boolean> = {}
  const tokens: Record<string, string> = {}
  for (const source of raters) {
    const sent = body[ratingsField(source)] as Readonly<Record<string, unknown>> | undefined
    if (sent !== undefined) {
      const on = Object.entries(sent).flatMap(([name, value]) => (value === true ? [raterOf(name, world)?.id] : []))
      for (const sink of world.descriptions.filter(takesRatings)) {
        toggles[ratingToggle(source, sink)] = on.includes(sink.id)
      }
    }
    const name = ratingTokenName(source.id)
    const isOn = sent !== undefined && Object.values(sent).includes(true)
    if (body[renewField(source)] === true || (isOn && storedToken(current.webhook_ids, name) === undefined))
      tokens[name] = newToken()
  }
  return { toggles, tokens }
}

function numbersOf(body: Readonly<Record<string, unknown>>, group: 'watch' | 'webhook' | 'policy') {
  return Object.fromEntries(
    Object.entries(NUMBERS).flatMap(([name, [of, number]]) =>
      of === group && body[name] !== undefined ? [[number, readNumber(body[name])]] : [],
    ),
  )
}

function some(name: string, values: object): object {
  return Object.keys(values).length === 0 ? {} : { [name]: values }
}
