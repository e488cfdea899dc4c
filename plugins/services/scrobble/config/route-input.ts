// Parses a watcher route from a client. Invalid values are rejected with their field.
import { isRecord } from '@playhead/sdk/items'
import { RATING_MODES, REMOVE_CHOICES, type RouteSettings } from '../settings.ts'
import {
  checkAccount,
  checkFlag,
  checkNumber,
  type FieldError,
  fieldError,
  readFilterInput,
  refuse,
} from './field-errors.ts'
import { nextRouteId, readOptions } from './normalize.ts'
import { canWatch, findProvider, isSink, reportsRatings, takesRatings, type World } from './providers.ts'
import { readInstance, readList, readProvider, text } from './read.ts'
import { withRatingAddress } from './tokens.ts'

/** The error code of the interface, for every provider. */
const RATINGS_NOT_REPORTED = 'mediaA_only'
const ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The route to store. Given fields replace those of `before`, filters and options as a whole. Throws 400
 * `validation_failed` with all field errors.
 *
 * @param routes all stored routes
 */
export function readRouteInput(
  body: unknown,
  before: RouteSettings | undefined,
  routes: readonly RouteSettings[],
  world: World,
): RouteSettings {
  if (!isRecord(body)) throw refuse([fieldError('route', 'invalid_structure', 'A route is an object.')])
  const others = routes.filter(({ id }) => id !== before?.id)
  const provider = body['provider'] === undefined ? (before?.provider ?? '') : readProvider(body['provider'])
  const sink = body['sink'] === undefined ? (before?.sink ?? '') : readProvider(body['sink'])
  const givenInstance = body['provider_instance'] ?? body['providerInstance']
  const givenSinkInstance = body['sink_instance'] ?? body['sinkInstance']
  // Profiles belong to a provider, so a new provider resets the profile.
  const providerInstance = readInstance(
    givenInstance ?? (provider === before?.provider ? before.provider_instance : undefined),
  )
  const sinkInstance = readInstance(givenSinkInstance ?? (sink === before?.sink ? before.sink_instance : undefined))
  const filters = body['filters'] === undefined ? undefined : readFilterInput(body['filters'])
  const options = body['options'] === undefined ? undefined : readOptionsInput(body['options'], world)
  const route: RouteSettings = {
    id: readId(body['id'], before, others),
    enabled: typeof body['enabled'] === 'boolean' ? body['enabled'] : (before?.enabled ?? true),
    provider,
    provider_instance: providerInstance,
    sink,
    sink_instance: sinkInstance,
    filters: filters?.filters ?? before?.filters ?? {},
    options: options?.options ?? before?.options ?? readOptions({}),
  }
  const errors = [
    ...checkId(body['id'], route.id, before, others),
    ...checkFlag('enabled', body['enabled']),
    ...checkFlag('regenerate_ratings_webhook', body['regenerate_ratings_webhook']),
    // A route whose account was disconnected can still be changed.
    ...(provider === before?.provider && providerInstance === before.provider_instance
      ? []
      : checkSource(world, provider, providerInstance)),
    ...(sink === before?.sink && sinkInstance === before.sink_instance ? [] : checkSink(world, sink, sinkInstance)),
    ...checkWay(route, others),
    ...(filters?.errors ?? []),
    ...(options?.errors ?? []),
    ...(options === undefined || options.errors.length > 0 ? [] : checkRatings(route, world)),
  ]
  if (errors.length > 0) throw refuse(errors)
  return withRatingAddress(route, before, body['regenerate_ratings_webhook'] === true)
}

function readId(given: unknown, before: RouteSettings | undefined, others: readonly RouteSettings[]): string {
  const id = text(given)
  if (id !== '') return id
  return before?.id ?? nextRouteId(new Set(others.map((one) => one.id)))
}

function checkId(
  given: unknown,
  id: string,
  before: RouteSettings | undefined,
  others: readonly RouteSettings[],
): FieldError[] {
  if (before !== undefined && given !== undefined && text(given) === '')
    return [fieldError('id', 'missing_id', 'A route needs an id.')]
  if (!ID.test(id))
    return [fieldError('id', 'invalid_id', 'An id has at most 64 letters, digits, hyphens and underscores.')]
  if (others.some((one) => one.id === id))
    return [fieldError('id', 'duplicate_route_id', `There is another route ${id}.`)]
  return []
}

function checkSource(world: World, provider: string, instance: string): FieldError[] {
  const found = findProvider(world, provider)
  if (found === undefined || !canWatch(found)) {
    return [fieldError('provider', 'unsupported_provider', `${nameOf(provider)} cannot be watched.`)]
  }
  return checkAccount(world, 'provider_instance', provider, instance)
}

function checkSink(world: World, sink: string, instance: string): FieldError[] {
  const found = findProvider(world, sink)
  if (found === undefined || !isSink(found))
    return [fieldError('sink', 'unsupported_provider', `${nameOf(sink)} does not record what is played.`)]
  return checkAccount(world, 'sink_instance', sink, instance)
}

function nameOf(provider: string): string {
  return provider === '' ? 'No provider is named, and it' : provider.slice(0, 80)
}

function checkWay(route: RouteSettings, others: readonly RouteSettings[]): FieldError[] {
  if (route.provider === '' || route.sink === '') return []
  if (route.provider === route.sink && route.provider_instance === route.sink_instance)
    return [fieldError('route', 'same_account', 'Source and tracker are the same account.')]
  const same = others.find((one) => wayOf(one) === wayOf(route))
  if (same === undefined) return []
  return [
    fieldError(
      'route',
      'duplicate_route',
      `Route ${same.id} joins the same accounts. For several people, give each a profile of the tracker.`,
    ),
  ]
}

function wayOf({ provider, provider_instance, sink, sink_instance }: RouteSettings): string {
  return JSON.stringify([provider, provider_instance, sink, sink_instance])
}

function readOptionsInput(
  sent: unknown,
  world: World,
): { readonly options: RouteSettings['options']; readonly errors: readonly FieldError[] } {
  const nothing = readOptions({})
  if (!isRecord(sent))
    return { options: nothing, errors: [fieldError('options', 'invalid_structure', 'options must be an object.')] }
  const errors = [
    ...unknownKeys('options', sent, ['auto_remove_watchlist', 'ratings', 'scrobble', 'watch']),
    ...checkChoice('options.auto_remove_watchlist', REMOVE_CHOICES, sent['auto_remove_watchlist']),
    ...checkGroup('options.scrobble', sent['scrobble'], ['watched_at', 'force_stop_at', 'progress_step']),
    ...checkGroup('options.watch', sent['watch'], ['pause_debounce_seconds', 'suppress_start_at']),
    ...checkRatingOptions(sent['ratings'], world),
  ]
  if (errors.length > 0) return { options: nothing, errors }
  const read = readOptions(sent)
  const { mode, targets } = read.ratings
  // The server creates credentials and ignores those of a client.
  return { options: { ...read, ratings: { mode, targets } }, errors }
}

function checkRatingOptions(sent: unknown, world: World): FieldError[] {
  const field = 'options.ratings'
  if (sent === undefined) return []
  if (!isRecord(sent)) return [fieldError(field, 'invalid_structure', `${field} must be an object.`)]
  const targets = readList(sent['targets'] ?? [])
  return [
    ...unknownKeys(field, sent, ['mode', 'targets', 'webhook_id', 'webhook_token']),
    ...checkChoice(`${field}.mode`, RATING_MODES, sent['mode']),
    ...(targets === undefined
      ? [fieldError(`${field}.targets`, 'invalid_structure', `${field}.targets must be a list.`)]
      : targets.map(readProvider).flatMap((id) => {
          const found = findProvider(world, id)
          return found !== undefined && takesRatings(found)
            ? []
            : [fieldError(`${field}.targets`, 'unsupported_provider', `${id.slice(0, 80)} takes no ratings.`)]
        })),
  ]
}

function checkRatings({ provider, options }: RouteSettings, world: World): FieldError[] {
  if (options.ratings.mode !== 'custom') return []
  const source = findProvider(world, provider)
  if (source !== undefined && !reportsRatings(source))
    return [
      fieldError('options.ratings.mode', RATINGS_NOT_REPORTED, `${source.label} does not send ratings in webhooks.`),
    ]
  if (options.ratings.targets.length > 0) return []
  return [fieldError('options.ratings.targets', 'missing_targets', 'Choose where the ratings go.')]
}

function checkGroup(
  field: string,
  sent: unknown,
  names: readonly ('watched_at' | 'force_stop_at' | 'progress_step' | 'pause_debounce_seconds' | 'suppress_start_at')[],
): FieldError[] {
  if (sent === undefined) return []
  if (!isRecord(sent)) return [fieldError(field, 'invalid_structure', `${field} must be an object.`)]
  return [
    ...unknownKeys(field, sent, names),
    ...names.flatMap((name) => checkNumber(`${field}.${name}`, name, sent[name], true)),
  ]
}

function unknownKeys(field: string, sent: object, known: readonly string[]): FieldError[] {
  return Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const at = `${field}.${name.slice(0, 80)}`
      return fieldError(at, 'unsupported_setting', `${at} is no setting.`)
    })
}

function checkChoice(field: string, choices: readonly string[], value: unknown): FieldError[] {
  if (value === undefined || choices.includes(value as string)) return []
  return [fieldError(field, 'invalid_choice', `${field} is one of ${choices.join(', ')}.`)]
}
