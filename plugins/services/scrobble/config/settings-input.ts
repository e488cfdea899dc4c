// Reads the general settings from a client.
import {
  PlayheadError,
  type ProviderDescription,
  readBySchema,
  type SettingsChange,
  type TObject,
  type TSchema,
  Type,
} from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { ratingTokenName, REMOVED_TYPES, ScrobbleConfig } from '../settings.ts'
import { checkValue, type FieldError, fieldError, refuse } from './field-errors.ts'
import { readList } from './forms.ts'
import { ratingToggle, reportsRatings, takesRatings, type World } from './providers.ts'
import { newToken, storedToken } from './tokens.ts'

type Body = Readonly<Record<string, unknown>>

/** Where the settings of the interface are stored. */
const PLACES: Readonly<Record<string, readonly [name: string] | readonly [group: string, name: string]>> = {
  enabled: ['enabled'],
  watch_autostart: ['watch', 'autostart'],
  global_auto_remove_watchlist: ['auto_remove_watchlist'],
  sources: ['sources'],
  global_auto_remove_types: ['auto_remove_types'],
  watch_pause_debounce_seconds: ['watch', 'pause_debounce_seconds'],
  watch_suppress_start_at: ['watch', 'suppress_start_at'],
  watch_watched_at: ['policy', 'watched_at'],
  watch_force_stop_at: ['policy', 'force_stop_at'],
  watch_progress_step: ['policy', 'progress_step'],
  webhook_pause_debounce_seconds: ['webhook', 'pause_debounce_seconds'],
  webhook_suppress_start_at: ['webhook', 'suppress_start_at'],
}
export const GENERAL_SETTINGS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries(PLACES).map(([name, path]) => [
    name,
    path.reduce<TSchema>((schema, key) => (schema as TObject).properties[key]!, ScrobbleConfig),
  ]),
)
const Flag = Type.Boolean()

/** The change to store. Throws 400 `validation_failed` with all field errors, or `invalid_settings`. */
export function readSettingsInput(body: unknown, current: ScrobbleConfig, world: World): SettingsChange {
  if (!isRecord(body)) {
    throw new PlayheadError('PLH_INVALID', 'The settings must be an object.', { wire: 'invalid_settings' })
  }
  const raters = world.descriptions.filter(reportsRatings)
  const known = new Set([
    ...Object.keys(PLACES),
    ...raters.flatMap((source) => [ratingsField(source), renewField(source)]),
  ])
  const errors = [
    ...Object.keys(body).flatMap((name) => (known.has(name) ? [] : [unknownSetting(name)])),
    ...Object.entries(GENERAL_SETTINGS).flatMap(([name, schema]) => checkSetting(name, schema, body[name])),
    ...raters.flatMap((source) => checkRatings(source, body, world)),
  ]
  if (errors.length > 0) throw refuse(errors)

  const { toggles, tokens } = readRatings(body, raters, current, world)
  const change: Record<string, unknown> = { watch: toggles, webhook_ids: tokens }
  for (const [name, [group, key]] of Object.entries(PLACES)) {
    if (body[name] === undefined) continue
    const value = readBySchema(GENERAL_SETTINGS[name]!, body[name])
    change[group] = key === undefined ? value : { ...(change[group] as object), [key]: value }
  }
  const isEmpty = (value: unknown) => isRecord(value) && Object.keys(value).length === 0
  return Object.fromEntries(Object.entries(withMainSwitch(change)).filter(([, value]) => !isEmpty(value)))
}

// The main switch follows the sources, so that one click is enough.
function withMainSwitch({ sources, ...change }: Record<string, unknown>): SettingsChange {
  if (sources === undefined) return change
  const { enabled: _, ...others } = change
  const switches = Object.values(sources as Readonly<Record<string, boolean>>)
  const isOn = switches.includes(true)
  return { ...others, sources, ...(isOn || switches.length === 2 ? { enabled: isOn } : {}) }
}

function unknownSetting(name: string): FieldError {
  return fieldError('settings', 'unsupported_setting', `${JSON.stringify(name.slice(0, 80))} is no setting.`)
}

function checkSetting(name: string, schema: TSchema, value: unknown): FieldError[] {
  if (name === 'sources' && isRecord(value)) return Object.entries(value).flatMap(checkSource)
  if (name !== 'global_auto_remove_types' || value === undefined) return checkValue(name, schema, value)
  const isType = (type: string) => (REMOVED_TYPES as readonly string[]).includes(type.toLowerCase())
  if (readList(value)?.every(isType) === true) return []
  return [fieldError(name, 'invalid_choice', `${name} is a list of ${REMOVED_TYPES.join(', ')}.`)]
}

function checkSource([name, value]: readonly [string, unknown]): FieldError[] {
  if (['webhook', 'watcher', 'watch'].includes(name)) return checkValue(`sources.${name}`, Flag, value)
  return [fieldError(`sources.${name.slice(0, 80)}`, 'unsupported_setting', 'There are webhook and watcher.')]
}

/** `global_mediaA_ratings` */
export function ratingsField({ token }: ProviderDescription): string {
  return `global_${token}_ratings`
}

function renewField(source: ProviderDescription): string {
  return `regenerate_${ratingsField(source)}_webhook`
}

function checkRatings(source: ProviderDescription, body: Body, world: World): FieldError[] {
  const field = ratingsField(source)
  const sent = body[field]
  const errors = checkValue(renewField(source), Flag, body[renewField(source)])
  if (sent === undefined) return errors
  if (!isRecord(sent)) return [...errors, fieldError(field, 'invalid_structure', `${field} must be an object.`)]
  // The overview contains the address, and clients send it back.
  const members = Object.entries(sent).filter(([name]) => name !== 'endpoint_url')
  return [
    ...errors,
    ...members.flatMap(([name, value]) => {
      const at = `${field}.${name.slice(0, 80)}`
      return raterOf(name, world) === undefined
        ? [fieldError(at, 'unsupported_provider', `${name.slice(0, 80)} takes no ratings.`)]
        : checkValue(at, Flag, value)
    }),
  ]
}

function raterOf(name: string, { descriptions }: World): ProviderDescription | undefined {
  const wanted = name.toLowerCase()
  return descriptions.find(
    (one) => takesRatings(one) && (one.token.toLowerCase() === wanted || one.id.toLowerCase() === wanted),
  )
}

function readRatings(body: Body, raters: readonly ProviderDescription[], current: ScrobbleConfig, world: World) {
  const toggles: Record<string, boolean> = {}
  const tokens: Record<string, string> = {}
  for (const source of raters) {
    const sent = body[ratingsField(source)] as Body | undefined
    const on = Object.entries(sent ?? {}).flatMap(([name, value]) => (value === true ? [raterOf(name, world)?.id] : []))
    if (sent !== undefined) {
      for (const sink of world.descriptions.filter(takesRatings))
        toggles[ratingToggle(source, sink)] = on.includes(sink.id)
    }
    const name = ratingTokenName(source.id)
    if (body[renewField(source)] === true || (on.length > 0 && storedToken(current.webhook_ids, name) === undefined))
      tokens[name] = newToken()
  }
  return { toggles, tokens }
}
