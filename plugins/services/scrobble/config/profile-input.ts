// Reads a webhook profile from a client. Trackers are added to the stored ones.
import { readBySchema, readProvider, type TSchema, Type } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { ProfileSettings, Tuning } from '../settings.ts'
import {
  checkAccount,
  checkFilters,
  checkProvider,
  checkValue,
  type FieldError,
  fieldError,
  refuse,
} from './field-errors.ts'
import { GUARDS, readList, readProfileId } from './forms.ts'
import {
  canSendWebhooks,
  findProvider,
  isSink,
  ratingToggle,
  reportsRatings,
  takesRatings,
  type World,
} from './providers.ts'

const Flag = Type.Boolean()
const SETTINGS: Readonly<Record<string, TSchema>> = {
  ...Tuning,
  ...Object.fromEntries(GUARDS.map((name) => [name, Tuning.guard_autoplay_seconds])),
  enabled: Flag,
  regenerate: Flag,
}
/** Keys that are checked together. */
const OTHERS = ['provider', 'provider_instance', 'providerInstance', 'sinks', 'sink_instances', 'prev_sink', 'filters']
const RECORDS_NOTHING = 'does not record what is played'

interface ProfileInput {
  readonly provider: string
  readonly instance: string
  readonly profile: ProfileSettings
  /** Request a new token. */
  readonly renew: boolean
}

type Raw = Readonly<Record<string, unknown>>

/** The provider and profile of a request. The profile may have been deleted. */
export function readProfileName(body: unknown): { readonly provider: string; readonly instance: string } {
  if (!isRecord(body)) throw refuse([fieldError('profile', 'invalid_structure', 'The request is an object.')])
  const provider = readProvider(body['provider'])
  if (provider === '') throw refuse([fieldError('provider', 'unsupported_provider', 'Name the provider.')])
  return { provider, instance: readProfileId(body['provider_instance'] ?? body['providerInstance']) }
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
  const sent = body as Raw
  const source = findProvider(world, provider)
  if (source === undefined || !canSendWebhooks(source))
    throw refuse(checkProvider(world, 'provider', provider, canSendWebhooks, 'sends no webhooks that are understood'))
  const old = before(provider, instance)
  const filters = sent['filters'] === undefined ? sent[`filters_${source.token}`] : sent['filters']
  const { sinks, instances, errors: sinkErrors } = readSinks(sent, old, world)
  const errors = [
    ...checkAccount(world, 'provider_instance', provider, instance),
    ...Object.entries(sent).flatMap(([name, value]) => checkSetting(name, value, source, world)),
    ...sinkErrors,
    ...(sinks.includes(provider) && (instances[provider] ?? 'default') === instance
      ? [fieldError('sinks', 'same_account', 'Source and tracker are the same account.')]
      : []),
    ...checkFilters(filters),
  ]
  if (errors.length > 0) throw refuse(errors)

  // Null restores the inherited value.
  const given = Object.entries(sent).map(([name, value]) => [name, value === null ? undefined : value])
  const profile = readBySchema(ProfileSettings, {
    ...old,
    ...Object.fromEntries(given),
    enabled: sent['enabled'] ?? old?.enabled,
    sinks,
    sink_instances: instances,
    filters: filters ?? old?.filters,
  })
  return { provider, instance, profile, renew: sent['regenerate'] === true }
}

function checkSetting(name: string, value: unknown, source: World['descriptions'][number], world: World): FieldError[] {
  if (OTHERS.includes(name) || name === `filters_${source.token}`) return []
  const isToggle =
    reportsRatings(source) &&
    world.descriptions.some(
      (sink) => takesRatings(sink) && ratingToggle(source, sink).toLowerCase() === name.toLowerCase(),
    )
  const schema = isToggle ? Flag : Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined
  if (schema !== undefined) return checkValue(name, schema, value)
  return [fieldError('settings', 'unsupported_setting', `${JSON.stringify(name.slice(0, 80))} is no setting.`)]
}

function readSinks(sent: Raw, old: ProfileSettings | undefined, world: World) {
  const list = sent['sinks'] === undefined ? [] : readList(sent['sinks'])
  const added = (list ?? []).map(readProvider)
  const previous = readProvider(sent['prev_sink'])
  const sinks = [...new Set([...(old?.sinks ?? []).filter((sink) => sink !== previous), ...added])]
  const given = sent['sink_instances'] ?? {}
  const chosen = Object.entries(isRecord(given) ? given : {}).map(
    ([sink, id]) => [readProvider(sink), readProfileId(id)] as const,
  )
  const instances = Object.fromEntries(
    [...Object.entries(old?.sink_instances ?? {}), ...chosen].filter(([sink]) => sinks.includes(sink)),
  )
  const changed = new Set([...added, ...chosen.map(([sink]) => sink)])
  const errors = [
    ...(list === undefined ? [fieldError('sinks', 'invalid_structure', 'sinks must be a list.')] : []),
    ...added.flatMap((sink) => checkProvider(world, 'sinks', sink, isSink, RECORDS_NOTHING)),
    ...(isRecord(given)
      ? []
      : [fieldError('sink_instances', 'invalid_structure', 'sink_instances must be an object.')]),
    ...chosen.flatMap(([sink]) =>
      checkProvider(world, `sink_instances.${sink.slice(0, 80)}`, sink, isSink, RECORDS_NOTHING),
    ),
    ...sinks
      .filter((sink) => changed.has(sink) && world.descriptions.some((one) => one.id === sink && isSink(one)))
      .flatMap((sink) => checkAccount(world, `sink_instances.${sink}`, sink, instances[sink] ?? 'default')),
  ]
  return { sinks, instances, errors }
}
