// Routes and webhook profiles in plans of several services. A change keeps the id of a route and the address of a webhook, and
// never contains a token.
import {
  type Account,
  type AccountName,
  accountLabel,
  isSameAccount,
  joinedSetup,
  type ProviderDescription,
  replacing,
  type Replacement,
  type SetupChange,
  type SetupEntry,
  type SetupPart,
  type SetupProposal,
  type SetupRefusal,
  setupStateOf,
  type SetupValues,
  type SetupWish,
  type SettingsChange,
} from '@playhead/sdk'
import {
  profileTokenName,
  type ProfileSettings,
  RATING_KEY,
  type RouteSettings,
  type ScrobbleConfig,
} from '../settings.ts'
import { addRoute, merged, type Moment, removeRoute, turnedOn, withRoute } from './changes.ts'
import { profilesOf, sinkInstanceOf } from './effective.ts'
import { nextRouteId } from './forms.ts'
import { canSendWebhooks, canWatch, findProvider, isSink, ratingToggle, takesRatings, type World } from './providers.ts'
import { newToken, storedToken, withRatingAddress } from './tokens.ts'

const ROUTE_ENDS = ['provider', 'provider_instance', 'sink', 'sink_instance'] as const
const PROFILE_ENDS = ['provider', 'instance'] as const

interface Known extends World {
  readonly settings: ScrobbleConfig
}

interface SetupParts {
  read(): Promise<Known>
  /** Stores a change of the settings; resolves when the watchers follow it. */
  save(change: (moment: Moment) => SettingsChange): Promise<void>
  address(settings: ScrobbleConfig, source: ProviderDescription, instance: string): string
}

export function createScrobbleSetup({ read, save, address }: SetupParts): SetupPart {
  return {
    async meet(wishes) {
      const known = await read()
      const used = new Set(known.settings.watch.routes.map(({ id }) => id))
      return joinedSetup(wishes.filter((wish) => wish.kind === 'scrobble').map((wish) => meetOne(wish, known, used)))
    },
    async replace(replacement) {
      const known = await read()
      const { watch, webhook } = known.settings
      return joinedSetup([
        ...watch.routes.filter(({ enabled }) => enabled).map((route) => replaceInRoute(route, replacement, known)),
        ...profilesOf(webhook.profiles)
          .filter(({ profile }) => profile.enabled)
          .map((one) => replaceInProfile(one, replacement, known)),
      ])
    },
    async states(changes) {
      const { settings } = await read()
      return changes.map((change) => stateOf(change, settings))
    },
    apply: (changes) => save((moment) => changed(changes, moment)),
    async addresses(ids) {
      const known = await read()
      const found = ids.flatMap((id) => {
        const { provider = '', instance = '' } = parseProfileId(id) ?? {}
        const source = findProvider(known, provider)
        const path = source === undefined ? '' : address(known.settings, source, instance)
        return path === '' ? [] : [[id, path] as const]
      })
      return Object.fromEntries(found)
    },
  }
}

function meetOne(
  { source, target }: Extract<SetupWish, { readonly kind: 'scrobble' }>,
  known: Known,
  used: Set<string>,
): SetupProposal {
  const { settings } = known
  const [from, to] = [findProvider(known, source.provider), findProvider(known, target.provider)]
  const entry = { kind: 'scrobble', label: labelOf(source, target, known), source, target }
  const off: SetupRefusal[] = isOn(settings) ? [] : [{ ...entry, reason: 'switched_off' }]
  if (from === undefined || to === undefined || !isSink(to) || !(canWatch(from) || canSendWebhooks(from)))
    return { changes: [], kept: [], refused: [{ ...entry, reason: 'no_scrobbling' }] }
  const route = settings.watch.routes.find((one) => isRouteOf(one, source, target))
  if (route !== undefined)
    return route.enabled
      ? { changes: [], kept: [entryOfRoute(route, known)], refused: off }
      : { changes: [routeChange(route, { ...route, enabled: true }, known)], kept: [], refused: off }
  const profile = settings.webhook.profiles[source.provider]?.[source.instance]
  if (profile?.enabled === true && hasSink(profile, target))
    return { changes: [], kept: [entryOfProfile(source, target, known)], refused: off }
  if (canWatch(from)) {
    const id = nextRouteId(used)
    used.add(id)
    const after = {
      ...{ provider: source.provider, provider_instance: source.instance, enabled: true },
      ...{ sink: target.provider, sink_instance: target.instance, ratings: { mode: 'off', targets: [] } },
    }
    return { changes: [{ ...entry, id, action: 'make', before: null, after }], kept: [], refused: off }
  }
  const next = withSink(profile, target)
  const change: SetupChange = {
    ...entryOfProfile(source, target, known),
    action: profile === undefined ? 'make' : 'change',
    before: profile === undefined ? null : profileValues(source, profile),
    after: profileValues(source, next),
  }
  return { changes: [change], kept: [], refused: off }
}

function replaceInRoute(route: RouteSettings, { from, to }: Replacement, known: Known): SetupProposal {
  const { source, target } = routeEnds(route)
  const { ratings } = route.options
  const rates = ratings.mode === 'custom' && ratings.targets.includes(from.provider) && from.instance === 'default'
  const isSource = isSameAccount(source, from)
  const isTarget = isSameAccount(target, from)
  if (!isSource && !isTarget && !rates) return joinedSetup([])
  const next = findProvider(known, to.provider)
  const ends = { source: isSource ? to : source, target: isTarget ? to : target }
  const refuse = (reason: string): SetupProposal => ({
    changes: [],
    kept: [],
    refused: [{ ...entryOfRoute(route, known), ...ends, reason }],
  })
  if (next === undefined || (isTarget && !isSink(next)) || (isSource && !canWatch(next))) return refuse('no_scrobbling')
  // Such a route would report recorded plays as new ones.
  if (isSameAccount(ends.source, ends.target)) return { changes: [stopped(route, known)], kept: [], refused: [] }
  const same = known.settings.watch.routes.find(
    (one) => one.id !== route.id && isRouteOf(one, ends.source, ends.target),
  )
  if (same !== undefined && (isSource || isTarget))
    return same.enabled
      ? { changes: [stopped(route, known)], kept: [entryOfRoute(same, known)], refused: [] }
      : {
          changes: [routeChange(same, { ...same, enabled: true }, known), stopped(route, known)],
          kept: [],
          refused: [],
        }
  const wanted = ratings.targets.map((id) => (id === from.provider && (rates || isTarget) ? to.provider : id))
  const targets = [...new Set(wanted)].filter((id) => id !== to.provider || takesRatings(next))
  const after: RouteSettings = {
    ...route,
    ...{ provider: ends.source.provider, provider_instance: ends.source.instance },
    ...{ sink: ends.target.provider, sink_instance: ends.target.instance },
    options: { ...route.options, ratings: { ...ratings, targets, mode: targets.length === 0 ? 'off' : ratings.mode } },
  }
  const lost: SetupRefusal[] =
    ratings.targets.length > 0 && targets.length < new Set(wanted).size
      ? [{ ...entryOfRoute(route, known), ...ends, features: ['ratings'], reason: 'unsupported' }]
      : []
  return { changes: [routeChange(route, after, known)], kept: [], refused: lost }
}

function replaceInProfile(
  { provider, instance, profile }: ReturnType<typeof profilesOf>[number],
  { from, to }: Replacement,
  known: Known,
): SetupProposal {
  const source = { provider, instance }
  if (!hasSink(profile, from)) return joinedSetup([])
  const sink = findProvider(known, to.provider)
  const description = findProvider(known, provider)
  const entry = entryOfProfile(source, to, known)
  const isTaken = profile.sinks.includes(to.provider) && !hasSink(profile, to)
  if (sink === undefined || !isSink(sink) || isTaken)
    return { changes: [], kept: [], refused: [{ ...entry, reason: 'no_scrobbling' }] }
  const isAlone = from.provider === to.provider
  const left = withSink({ ...profile, sinks: profile.sinks.filter((id) => id !== from.provider) }, to)
  const old = findProvider(known, from.provider)
  const toggles =
    isAlone || description === undefined || old === undefined
      ? togglesOf(profile)
      : movedToggles(profile, ratingToggle(description, old), ratingToggle(description, sink), takesRatings(sink))
  const { [from.provider]: _old, ...instances } = left.sink_instances
  const next = { ...left, sink_instances: isAlone ? left.sink_instances : instances }
  const after = { ...profileValues(source, next), toggles }
  return {
    changes: [{ ...entry, action: 'change', before: profileValues(source, profile), after }],
    kept: [],
    refused: [],
  }
}

/** The change of the settings for those changes whose state is still `before`. */
function changed(changes: readonly SetupChange[], moment: Moment): SettingsChange {
  let current = moment.current
  let change: SettingsChange = {}
  const take = (next: SettingsChange, after: ScrobbleConfig) => {
    change = merged(change, next)
    current = after
  }
  for (const one of changes) {
    if (stateOf(one, current) !== 'before') continue
    const values = (one.after ?? one.before) as Readonly<Record<string, unknown>>
    if (one.kind === 'webhook') {
      const source = values as unknown as { provider: string; instance: string }
      const next = one.after === null ? undefined : profileOf(one.after, current, source)
      const isUsed = next?.enabled === true && next.sinks.length > 0
      const settings = { ...turnedOn(isUsed, moment), ...profileSettings(source, next, current) }
      take(settings, withProfile(current, source, next))
      continue
    }
    const now = { ...moment, current }
    const known = current.watch.routes.find(({ id }) => id === one.id)
    const next =
      one.after === null
        ? removeRoute(one.id, now)
        : known === undefined
          ? merged(addRoute({ id: one.id, ...routeBody(one.after) }, now), followed(moment))
          : withRoute(routeOf(known, one.after), now)
    const { routes } = next['watch'] as ScrobbleConfig['watch']
    take(next, { ...current, watch: { ...current.watch, routes } })
  }
  return change
}

/** Playback is followed from now on, also after a restart, unless a person set that. */
function followed({ stored }: Moment): SettingsChange {
  const { watch } = stored as { readonly watch?: { readonly autostart?: unknown } }
  return watch?.autostart === undefined ? { watch: { autostart: true } } : {}
}

function stateOf(change: SetupChange, settings: ScrobbleConfig) {
  if (change.kind === 'webhook') {
    const { provider = '', instance = '' } = parseProfileId(change.id) ?? {}
    const profile = settings.webhook.profiles[provider]?.[instance]
    const values = profile === undefined ? null : profileValues({ provider, instance }, profile)
    return setupStateOf(change, values, PROFILE_ENDS)
  }
  const route = settings.watch.routes.find(({ id }) => id === change.id)
  return setupStateOf(change, route === undefined ? null : routeValues(route), ROUTE_ENDS)
}

/** Off by default, until the first route or webhook switches it on. */
function isOn({ enabled, sources, watch, webhook }: ScrobbleConfig): boolean {
  const isUnused = watch.routes.length === 0 && profilesOf(webhook.profiles).length === 0
  return (enabled || isUnused) && sources.watcher !== false
}

function routeEnds(route: RouteSettings) {
  return {
    source: { provider: route.provider, instance: route.provider_instance },
    target: { provider: route.sink, instance: route.sink_instance },
  }
}

function isRouteOf(route: RouteSettings, source: AccountName, target: AccountName): boolean {
  const ends = routeEnds(route)
  return isSameAccount(ends.source, source) && isSameAccount(ends.target, target)
}

function routeValues({ provider, provider_instance, sink, sink_instance, enabled, options }: RouteSettings) {
  const { mode, targets } = options.ratings
  return { provider, provider_instance, sink, sink_instance, enabled, ratings: { mode, targets } }
}

function routeBody(values: SetupValues) {
  const { ratings, ...ends } = values as ReturnType<typeof routeValues>
  return ratings.mode === 'off' ? ends : { ...ends, options: { ratings } }
}

/** The stored route with these values; it keeps the address for ratings. */
function routeOf(route: RouteSettings, values: SetupValues): RouteSettings {
  const { ratings, ...ends } = values as ReturnType<typeof routeValues>
  const next = { ...route, ...ends, options: { ...route.options, ratings: { ...route.options.ratings, ...ratings } } }
  return withRatingAddress(next, route, false)
}

function routeChange(before: RouteSettings, after: RouteSettings, known: Known): SetupChange {
  const action = before.enabled === after.enabled ? 'change' : after.enabled ? 'start' : 'stop'
  return { ...entryOfRoute(after, known), action, before: routeValues(before), after: routeValues(after) }
}

function stopped(route: RouteSettings, known: Known): SetupChange {
  return routeChange(route, { ...route, enabled: false }, known)
}

function entryOfRoute(route: RouteSettings, known: Known): SetupEntry {
  const { source, target } = routeEnds(route)
  return { kind: 'scrobble', id: route.id, label: labelOf(source, target, known), source, target }
}

function entryOfProfile(source: AccountName, target: AccountName, known: Known): SetupEntry {
  const id = `${source.provider} ${source.instance}`
  return { kind: 'webhook', id, label: labelOf(source, target, known), source, target }
}

function parseProfileId(id: string) {
  const [, provider, instance] = /^(\S+) (.+)$/.exec(id) ?? []
  return provider === undefined || instance === undefined ? undefined : { provider, instance }
}

function labelOf(source: AccountName, target: AccountName, known: World): string {
  return `${nameOf(source, known)} → ${nameOf(target, known)}`
}

function nameOf({ provider, instance }: AccountName, known: World): string {
  const account = known.accounts.find((one: Account) => isSameAccount(one, { provider, instance }))
  return accountLabel(findProvider(known, provider)?.label ?? provider, instance, account?.label)
}

function hasSink(profile: ProfileSettings, { provider, instance }: AccountName): boolean {
  return profile.sinks.includes(provider) && sinkInstanceOf(profile, provider) === instance
}

type Sinks = Pick<ProfileSettings, 'enabled' | 'sinks' | 'sink_instances'>

function withSink<Profile extends Sinks>(profile: Profile | undefined, { provider, instance }: AccountName) {
  const { sinks = [], sink_instances = {} } = profile ?? {}
  return {
    ...(profile as Profile),
    enabled: true,
    sinks: [...new Set([...sinks, provider])],
    sink_instances: { ...sink_instances, ...(instance === 'default' ? {} : { [provider]: instance }) },
  }
}

type Toggles = Readonly<Record<string, boolean>>

function togglesOf(profile: object): Toggles {
  const name = new RegExp(RATING_KEY)
  return Object.fromEntries(Object.entries(profile).filter(([key, on]) => name.test(key) && typeof on === 'boolean'))
}

function movedToggles(profile: object, from: string, to: string, canRate: boolean): Toggles {
  const { [from]: isOn = false, ...others } = togglesOf(profile)
  return isOn && canRate ? { ...others, [to]: true } : others
}

function profileValues({ provider, instance }: AccountName, profile: Sinks) {
  const { enabled, sinks, sink_instances } = profile
  return { provider, instance, enabled, sinks, sink_instances, toggles: togglesOf(profile) }
}

/** The stored profile with these values; a new one if there is none. */
function profileOf(values: SetupValues, settings: ScrobbleConfig, source: AccountName): ProfileSettings {
  const { enabled, sinks, sink_instances, toggles } = values as ReturnType<typeof profileValues>
  const before = settings.webhook.profiles[source.provider]?.[source.instance]
  const kept = Object.entries(before ?? { filters: {} }).filter(([key]) => !(key in togglesOf(before ?? {})))
  return { ...Object.fromEntries(kept), enabled, sinks, sink_instances, ...toggles } as ProfileSettings
}

function withProfile(current: ScrobbleConfig, source: AccountName, profile: ProfileSettings | undefined) {
  const { [source.instance]: _old, ...others } = current.webhook.profiles[source.provider] ?? {}
  const own = profile === undefined ? others : { ...others, [source.instance]: profile }
  const profiles = { ...current.webhook.profiles, [source.provider]: own }
  return { ...current, webhook: { ...current.webhook, profiles } }
}

function profileSettings(
  source: AccountName,
  profile: ProfileSettings | undefined,
  { webhook, webhook_ids: ids }: ScrobbleConfig,
): SettingsChange {
  const token = profileTokenName(source.provider, source.instance)
  const before = webhook.profiles[source.provider]?.[source.instance]
  const own = profile === undefined ? undefined : replacing(before, profile)
  const needsToken = profile !== undefined && storedToken(ids, token) === undefined
  return {
    webhook: { profiles: { [source.provider]: { [source.instance]: own } } },
    ...(profile === undefined
      ? { webhook_ids: { [token]: undefined } }
      : needsToken
        ? { webhook_ids: { [token]: newToken() } }
        : {}),
  }
}
