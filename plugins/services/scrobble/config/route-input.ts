// Reads a watcher route from a client. Invalid values are rejected with their field.
import { readBySchema, readProvider, readText } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { RouteOptions, RouteSettings } from '../settings.ts'
import {
  checkAccount,
  checkFilters,
  checkProvider,
  checkValue,
  type FieldError,
  fieldError,
  refuse,
} from './field-errors.ts'
import { nextRouteId, readRoute } from './forms.ts'
import { canWatch, findProvider, isSink, reportsRatings, takesRatings, type World } from './providers.ts'
import { withRatingAddress } from './tokens.ts'

/** The error code of the interface, for every provider. */
const RATINGS_NOT_REPORTED = 'mediaA_only'
const ID = new RegExp(RouteSettings.properties.id.pattern!)
const FLAG = RouteSettings.properties.enabled

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
  const sent = readRoute(body)
  // Profiles belong to a provider, so a new provider resets the profile.
  const profileOf = (side: 'provider' | 'sink') => {
    const isSame = sent[side] === undefined || readProvider(sent[side]) === before?.[side]
    return sent[`${side}_instance`] ?? (isSame ? before?.[`${side}_instance`] : undefined)
  }
  const route = readBySchema(RouteSettings, {
    ...before,
    ...sent,
    id: readText(sent['id']) || (before?.id ?? nextRouteId(new Set(others.map(({ id }) => id)))),
    provider_instance: profileOf('provider'),
    sink_instance: profileOf('sink'),
  })
  const optionErrors = checkOptions(sent['options'], world)
  const renew = sent['regenerate_ratings_webhook']
  const errors = [
    ...checkId(sent['id'], route.id, before, others),
    ...checkValue('enabled', FLAG, sent['enabled']),
    ...checkValue('regenerate_ratings_webhook', FLAG, renew),
    ...checkEnd('provider', route, before, world),
    ...checkEnd('sink', route, before, world),
    ...checkWay(route, others),
    ...checkFilters(sent['filters']),
    ...optionErrors,
    ...(sent['options'] === undefined || optionErrors.length > 0 ? [] : checkRatings(route, world)),
  ]
  if (errors.length > 0) throw refuse(errors)
  // The server creates credentials and ignores those of a client.
  return withRatingAddress(route, before, renew === true)
}

function checkId(
  given: unknown,
  id: string,
  before: RouteSettings | undefined,
  others: readonly RouteSettings[],
): FieldError[] {
  if (before !== undefined && given !== undefined && readText(given) === '')
    return [fieldError('id', 'missing_id', 'A route needs an id.')]
  if (!ID.test(id))
    return [fieldError('id', 'invalid_id', 'An id has at most 64 letters, digits, hyphens and underscores.')]
  if (others.some((one) => one.id === id))
    return [fieldError('id', 'duplicate_route_id', `There is another route ${id}.`)]
  return []
}

/** A route whose account was disconnected can still be changed. */
function checkEnd(
  side: 'provider' | 'sink',
  route: RouteSettings,
  before: RouteSettings | undefined,
  world: World,
): FieldError[] {
  const { [side]: id, [`${side}_instance` as const]: instance } = route
  if (id === before?.[side] && instance === before[`${side}_instance`]) return []
  const [can, cannot] =
    side === 'provider'
      ? ([canWatch, 'cannot be watched'] as const)
      : ([isSink, 'does not record what is played'] as const)
  const name = id === '' ? 'No provider is named, and it' : id
  const errors = checkProvider(world, side, name, can, cannot)
  return errors.length > 0 ? errors : checkAccount(world, `${side}_instance`, id, instance)
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

function checkOptions(sent: unknown, world: World): FieldError[] {
  const at = 'options.ratings.targets'
  const errors = checkValue('options', RouteOptions, sent)
  if (errors.some(({ field }) => field === at)) return errors
  const { ratings } = readBySchema(RouteOptions, sent)
  return [...errors, ...ratings.targets.flatMap((id) => checkProvider(world, at, id, takesRatings, 'takes no ratings'))]
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
