// Parses a webhook profile from a client. Trackers are added to the stored ones.
import { isRecord } from '@playhead/sdk/items'
import { type NumberName, type ProfileSettings, RATING_KEY } from '../settings.ts'
import {
  checkAccount,
  checkFlag,
  checkNumber,
  type FieldError,
  fieldError,
  readFilterInput,
  refuse,
} from './field-errors.ts'
import { normalizeScrobble } from './normalize.ts'
import {
  canSendWebhooks,
  findProvider,
  isSink,
  ratingToggle,
  reportsRatings,
  takesRatings,
  type World,
} from './providers.ts'
import { readInstance, readList, readProvider } from './read.ts'

/** Names of a number, including older ones. */
const NUMBERS: ReadonlyMap<string, NumberName> = new Map(
  Object.entries({
    pause_debounce_seconds: 'pause_debounce_seconds',
    suppress_start_at: 'suppress_start_at',
    guard_autoplay_seconds: 'guard_autoplay_seconds',
    suppress_autoplay_seconds: 'guard_autoplay_seconds',
    post_stop_play_guard_seconds: 'guard_autoplay_seconds',
    anti_autoplay_seconds: 'guard_autoplay_seconds',
    start_guard_min_progress: 'start_guard_min_progress',
  } as const),
)
const KEYS = [
  'provider',
  'provider_instance',
  'providerInstance',
  'enabled',
  'sinks',
  'sink_instances',
  'prev_sink',
  'filters',
  'regenerate',
]
const toggle = new RegExp(RATING_KEY, 'u')

interface ProfileInput {
  readonly provider: string
  readonly instance: string
  readonly profile: ProfileSettings
  /** Request a new token. */
  readonly renew: boolean
}

/** The provider and profile of a request. The profile may have been deleted. */
export function readProfileName(body: unknown): { readonly provider: string; readonly instance: string } {
  if (!isRecord(body)) throw refuse([fieldError('profile', 'invalid_structure', 'The request is an object.')])
  const provider = readProvider(body['provider'])
  if (provider === '') throw refuse([fieldError('provider', 'unsupported_provider', 'Name the provider.')])
  return { provider, instance: readInstance(body['provider_instance'] ?? body['providerInstance']) }
}

/**
 * The profile to store. Throws 400 `validation_failed` with all field errors.
 *
 * @param before the stored profile
 */
export function readProfileInput(
  body: unknown,
  before: (provider: string, instance: string) => ProfileSettings | undefined,
  world: World,
): ProfileInput {
  const { provider, instance } = readProfileName(body)
  const sent = body as Readonly<Record<string, unknown>>
  const source = findProvider(world, provider)
  if (source === undefined || !canSendWebhooks(source)) {
    throw refuse([
      fieldError('provider', 'unsupported_provider', `${provider.slice(0, 80)} sends no webhooks that are understood.`),
    ])
  }
  const old = before(provider, instance)
  const filtersKey = ['filters', `filters_${source.token}`].find((name) => sent[name] !== undefined)
  const filters = filtersKey === undefined ? undefined : readFilterInput(sent[filtersKey])
  const sinks = readSinks(sent, old, world)
  const errors = [
    ...checkAccount(world, 'provider_instance', provider, instance),
    ...Object.entries(sent).flatMap(([name, value]) => checkSetting(name, value, source, world)),
    ...sinks.errors,
    ...(sinks.sinks.includes(provider) && (sinks.instances[provider] ?? 'default') === instance
      ? [fieldError('sinks', 'same_account', 'Source and tracker are the same account.')]
      : []),
    ...(filters?.errors ?? []),
  ]
  if (errors.length > 0) throw refuse(errors)

  const given = Object.entries(sent).filter(([name]) => NUMBERS.has(name) || toggle.test(name))
  // Null restores the inherited value.
  const settings = Object.fromEntries(given.map(([name, value]) => [name, value === null ? undefined : value]))
  const merged = {
    ...old,
    ...settings,
    enabled: sent['enabled'] ?? old?.enabled ?? true,
    sinks: sinks.sinks,
    sink_instances: sinks.instances,
    filters: filters?.filters ?? old?.filters ?? {},
  }
  const { webhook } = normalizeScrobble({ webhook: { profiles: { [provider]: { [instance]: merged } } } })
  const profile = webhook.profiles[provider]?.[instance] as ProfileSettings
  return { provider, instance, profile, renew: sent['regenerate'] === true }
}

function checkSetting(name: string, value: unknown, source: World['descriptions'][number], world: World): FieldError[] {
  if (name === 'enabled' || name === 'regenerate') return checkFlag(name, value)
  if (KEYS.includes(name) || name === `filters_${source.token}`) return []
  const number = NUMBERS.get(name)
  if (number !== undefined) return checkNumber(name, number, value, true)
  const isToggle =
    reportsRatings(source) &&
    world.descriptions.some(
      (sink) => takesRatings(sink) && ratingToggle(source, sink).toLowerCase() === name.toLowerCase(),
    )
  if (isToggle) return checkFlag(name, value)
  return [fieldError('settings', 'unsupported_setting', `${JSON.stringify(name.slice(0, 80))} is no setting.`)]
}

function readSinks(sent: Readonly<Record<string, unknown>>, old: ProfileSettings | undefined, world: World) {
  const errors: FieldError[] = []
  const previous = sent['prev_sink'] === undefined ? '' : readProvider(sent['prev_sink'])
  const kept = (old?.sinks ?? []).filter((sink) => sink !== previous)
  const added = sent['sinks'] === undefined ? [] : readList(sent['sinks'])?.map(readProvider)
  if (added === undefined) errors.push(fieldError('sinks', 'invalid_structure', 'sinks must be a list.'))
  for (const sink of added ?? []) {
    const found = findProvider(world, sink)
    if (found === undefined || !isSink(found))
      errors.push(fieldError('sinks', 'unsupported_provider', `${sink.slice(0, 80)} does not record what is played.`))
  }
  const sinks = [...new Set([...kept, ...(added ?? [])])]

  const given = sent['sink_instances'] ?? {}
  if (!isRecord(given))
    errors.push(fieldError('sink_instances', 'invalid_structure', 'sink_instances must be an object.'))
  const chosen = Object.entries(isRecord(given) ? given : {}).map(
    ([sink, instance]) => [readProvider(sink), readInstance(instance)] as const,
  )
  const instances = Object.fromEntries(
    [...Object.entries(old?.sink_instances ?? {}), ...chosen].filter(([sink]) => sinks.includes(sink)),
  )
  for (const [sink] of chosen) {
    const found = findProvider(world, sink)
    if (found === undefined || !isSink(found))
      errors.push(
        fieldError(
          `sink_instances.${sink.slice(0, 80)}`,
          'unsupported_provider',
          `${sink.slice(0, 80)} does not record what is played.`,
        ),
      )
  }
  const changed = new Set([...(added ?? []), ...chosen.map(([sink]) => sink)])
  for (const sink of sinks.filter((one) => changed.has(one))) {
    const found = findProvider(world, sink)
    if (found !== undefined && isSink(found))
      errors.push(...checkAccount(world, `sink_instances.${sink}`, sink, instances[sink] ?? 'default'))
  }
  return { sinks, instances, errors }
}
