// The account contexts of a profile: with its stored settings, and with settings on trial.
import { isRecord } from '../items/result.ts'
import { createHash } from 'node:crypto'
import type { PluginContext } from '../context.ts'
import { isMasked } from '../secrets.ts'
import { ENTERED } from '../upstream.ts'
import { accountName } from '../capabilities/accounts.ts'
import type { ActsAs } from './users/contract.ts'
import { defined } from '../defined.ts'
import type { AccountContext } from './define-contract.ts'
import type { LiveSettings } from './profiles/live-settings.ts'
import { isSecretOf, type ProfileShape } from './profiles/profile-schema.ts'
import { storeBelow, storeInMemory } from './profiles/profile-store.ts'
import { DEFAULT_PROFILE, unknownProfile } from './profiles/profile-ids.ts'
import type { Profiles } from './profiles/profiles.ts'
import { deepFreeze, leavesOf, merged, originOf, type Settings, valueAt, withValue } from './profiles/settings-tree.ts'

interface AccountDependencies<Profile> {
  readonly ctx: PluginContext
  readonly providerId: string
  readonly shape: ProfileShape
  readonly credentials: readonly string[]
  /** Settings that profiles which act as users share with the profile that signed in. */
  readonly shares: readonly string[]
  readonly profiles: Profiles<Profile>
  readonly settings: LiveSettings
  /** Called before settings of a profile are saved. */
  readonly onSaving: (instance: string, change: Settings) => void
  /** Called after credentials were saved; `isNew` unless they renew the present sign-in. */
  readonly onCredentials: (instance: string, isNew: boolean) => Promise<void>
}

interface AccountContexts<Profile> {
  account(instance: string): AccountContext<Profile>
  trial(instance: string, settings: Readonly<Partial<Profile>>): AccountContext<Profile>
  /** The account of a further profile with unsaved settings, which acts through the profile `via`. */
  acting(via: string, settings: Settings): AccountContext<Profile>
  /** Clears the store of a profile. */
  forgetStore(instance: string): Promise<void>
}

export function createAccountContexts<Profile>(deps: AccountDependencies<Profile>): AccountContexts<Profile> {
  const { ctx, providerId, shape, profiles, settings } = deps
  const storeOf = (instance: string) => storeBelow(ctx.store, `profile/${instance}/`)
  const isCredential = (path: string) =>
    [...deps.credentials, ...shape.secrets].some(
      (one) => path === one || path.startsWith(`${one}.`) || one.startsWith(`${path}.`),
    )
  const canEnter = ctx.manifest.needs?.hosts?.includes(ENTERED) === true
  // Addresses that receive secrets, named by the schema or by the manifest's hosts.
  const addresses = [
    ...new Set([
      ...shape.boundTo.values(),
      ...(ctx.manifest.needs?.hosts ?? []).flatMap((entry) =>
        entry.startsWith('config:') ? [entry.slice('config:'.length)] : [],
      ),
    ]),
  ]

  function account(instance: string): AccountContext<Profile> {
    const name = accountName(providerId, instance)
    return {
      instance,
      name,
      profile: profiles.effective(instance),
      current: () => profiles.effective(instance),
      async save(given, { renews = false } = {}) {
        const change =
          profiles.actsAs(instance) !== undefined && signsIn(given) ? { ...given, acts_as: undefined } : given
        deps.onSaving(instance, change as Settings)
        await settings.update((stored) => ofInstance(instance, stored, change))
        if (leavesOf(change).some(([path]) => isCredential(path))) await deps.onCredentials(instance, !renews)
      },
      upstream: (options) => ctx.upstream.account({ ...options, account: name }),
      store: storeOf(instance),
      log: ctx.log,
      ctx,
      ...defined({ actsAs: profiles.actsAs(instance) }),
    }
  }

  function acting(via: string, given: Settings): AccountContext<Profile> {
    let own = given
    return {
      ...trial(via, {} as Partial<Profile>),
      profile: profiles.resolveFurther(own),
      current: () => profiles.resolveFurther(own),
      save: async (change) => {
        own = merged(own, change)
      },
      ...defined({ actsAs: given['acts_as'] as ActsAs | undefined }),
    }
  }

  /** A sign-in of its own ends the use of another profile's. */
  const signsIn = (change: Settings) =>
    shape.secrets.some((path) => deps.shares.includes(path) && (valueAt(change, path) ?? '') !== '')

  function trial(instance: string, given: Readonly<Partial<Profile>>): AccountContext<Profile> {
    const before = profiles.effective(instance)
    const isMoved = addresses.some((path) => {
      const address = valueAt(given, path)
      return address !== undefined && originOf(address) !== originOf(valueAt(before, path))
    })
    let own = tried(profiles.own(instance), given as Settings, isMoved)
    const base =
      instance === DEFAULT_PROFILE
        ? {}
        : isMoved
          ? withoutCredentials(profiles.own(DEFAULT_PROFILE))
          : profiles.own(DEFAULT_PROFILE)
    const name = accountName(providerId, instance)
    // Limits and pauses apply per server: a trial elsewhere must not slow down the account.
    const places = addresses.map((path) => originOf(valueAt(own, path))).join(' ')
    const upstreamName = isMoved ? `${name}~${createHash('sha256').update(places).digest('hex').slice(0, 8)}` : name
    return {
      instance,
      name,
      profile: profiles.resolve(own, base),
      current: () => profiles.resolve(own, base),
      save: async (change) => {
        own = merged(own, change)
      },
      upstream: (options) =>
        ctx.upstream.account({ ...(canEnter ? { entered: true } : {}), ...options, account: upstreamName }),
      store: storeInMemory(),
      log: ctx.log,
      ctx,
    }
  }

  /** The given settings over the stored ones. Stored credentials are not sent to another address. */
  function tried(stored: Settings, given: Settings, isMoved: boolean): Settings {
    let own = isMoved ? withoutCredentials(stored) : stored
    for (const [path, value] of leavesOf(given)) {
      if (value === undefined || (isMasked(value) && isSecretOf(shape, path))) continue
      own = withValue(own, path, value)
    }
    return deepFreeze(structuredClone(own) as Settings)
  }

  function withoutCredentials(stored: Settings): Settings {
    return [...deps.credentials, ...shape.secrets]
      .filter((path) => !addresses.includes(path))
      .reduce((settings, path) => withValue(settings, path, undefined), stored)
  }

  return { account, trial, acting, forgetStore: (instance) => storeOf(instance).clear() }
}

/** Wraps the change of one profile as a change of the plugin's settings. */
function ofInstance(instance: string, stored: Settings, change: Settings): Settings {
  if (instance === DEFAULT_PROFILE) return change
  // A late save must not recreate a removed profile.
  if (!isRecord(valueAt(stored, 'instances')) || !isRecord((stored['instances'] as Settings)[instance])) {
    throw unknownProfile(instance)
  }
  return { instances: { [instance]: change } }
}
