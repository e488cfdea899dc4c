// Resolves profiles: effective settings, configured state, and the account's fingerprint.
import { isRecord } from '../../items/result.ts'
import { createHmac } from 'node:crypto'
import type { TSchema } from '@sinclair/typebox'
import type { VendorNotice } from '../../manifest.ts'
import type { ProfileState, ReasonCode } from '../contract.ts'
import type { ActsAs } from '../users/contract.ts'
import { DEFAULT_PROFILE, isOfProvider, unknownProfile } from './profile-ids.ts'
import type { ProfileShape } from './profile-schema.ts'
import { deepFreeze, leavesOf, merged, type Settings, valueAt, withValue } from './settings-tree.ts'
import { defined } from '../../defined.ts'

interface ProfileRules<Profile> {
  readonly providerId: string
  readonly shape: ProfileShape
  /** Dotted paths that disconnecting clears. */
  readonly credentials: readonly string[]
  /** Dotted paths that a profile which acts as a user takes from the profile that signed in. */
  readonly shares?: readonly string[]
  readonly missing: (profile: Readonly<Profile>) => ReasonCode | undefined
  /** Of plugin.json. */
  readonly notices?: readonly VendorNotice[] | undefined
  readonly libraryChoice?: ((profile: Readonly<Profile>) => ProfileState['libraries'] & object) | undefined
}

export interface Profiles<Profile> {
  /** Ids of all profiles, `default` first. */
  ids(): readonly string[]
  has(instance: string): boolean
  /** The profile's own settings, without inherited values and defaults. */
  own(instance: string): Settings
  /** Effective settings, frozen. Throws `PLH_NOT_FOUND` for an unknown profile. */
  effective(instance: string): Readonly<Profile>
  state(instance: string): ProfileState
  /** Changes with everything except refreshed credentials; then the session is reopened. */
  sessionKey(instance: string): string
  /** As `effective`, for unsaved settings. */
  resolve(own: Settings, base: Settings): Readonly<Profile>
  /** The user as whom a profile acts; undefined if it has a sign-in of its own. */
  actsAs(instance: string): ActsAs | undefined
  /** As `resolve` for a further profile, with what it shares with the profile through which it acts. */
  resolveFurther(own: Settings): Readonly<Profile>
  /** Whether a further profile with these settings would be configured. */
  wouldBeConfigured(own: Settings): boolean
}

// Fields that a token refresh replaces while the account stays the same.
const REFRESHED =
  /^(?:access_token|refresh_token|id_token|token_type|token_mark|scope|created_at|(?:token_)?expires_(?:at|in))$/

/**
 * @param settings the current settings of the plugin
 * @param hashKey a secret of this installation, so that short secrets cannot be guessed
 */
export function createProfiles<Profile>(
  rules: ProfileRules<Profile>,
  settings: () => Settings,
  hashKey: string,
): Profiles<Profile> {
  const { shape, shares = [] } = rules
  const identity = identityOf(rules)
  let known: { readonly of: Settings; readonly profiles: Map<string, Readonly<Profile>> } | null = null

  const instances = () => {
    const { instances: further } = settings() as { instances?: unknown }
    return isRecord(further) ? further : {}
  }
  // Invalid names are preserved but are not profiles.
  const isFurther = (id: string) => isOfProvider(id, rules.providerId) && isRecord(instances()[id])
  const ids = () => [DEFAULT_PROFILE, ...Object.keys(instances()).filter(isFurther).sort()]
  const own = (instance: string): Settings => {
    const { instances: further, ...first } = settings() as Settings & { instances?: Settings }
    if (instance === DEFAULT_PROFILE) return first
    if (!isFurther(instance)) throw unknownProfile(instance)
    return further?.[instance] as Settings
  }
  const resolve = (ownSettings: Settings, base: Settings) =>
    resolveProfile(shape, ownSettings, base) as Readonly<Profile>

  function effective(instance: string): Readonly<Profile> {
    const now = settings()
    if (known?.of !== now) known = { of: now, profiles: new Map() }
    let profile = known.profiles.get(instance)
    if (profile === undefined) {
      profile = instance === DEFAULT_PROFILE ? resolve(own(instance), {}) : resolveFurther(own(instance))
      known.profiles.set(instance, profile)
    }
    return profile
  }

  const actsAs = (instance: string) => (instance === DEFAULT_PROFILE ? undefined : actsAsOf(own(instance)))

  function resolveFurther(ownSettings: Settings): Readonly<Profile> {
    const via = actsAsOf(ownSettings)?.via
    if (via === undefined || shares.length === 0) return resolve(ownSettings, own(DEFAULT_PROFILE))
    // Through a profile that itself acts as a user, or is gone, there is no sign-in.
    const isThere = via === DEFAULT_PROFILE || (isFurther(via) && actsAs(via) === undefined)
    const source = isThere ? effective(via) : {}
    const shared = shares.reduce((all, path) => withValue(all, path, valueAt(source, path)), ownSettings)
    return resolve(shared, own(DEFAULT_PROFILE))
  }

  const digest = (instance: string, facts: unknown) =>
    createHmac('sha256', hashKey)
      .update(JSON.stringify([instance, facts]))
      .digest('hex')
      .slice(0, 24)

  return {
    ids,
    has: (instance) => instance === DEFAULT_PROFILE || isFurther(instance),
    own,
    effective,
    resolve,
    actsAs,
    resolveFurther,
    wouldBeConfigured: (settingsOfOwn) => rules.missing(resolveFurther(settingsOfOwn)) === undefined,
    sessionKey(instance) {
      const profile = effective(instance) as Settings
      const isRefreshable = hasRefreshToken(profile)
      return digest(
        instance,
        leavesOf(profile)
          .filter(([path]) => path !== 'label' && !(isRefreshable && isRefreshed(path)))
          .sort(byPath),
      )
    },
    state(instance) {
      const profile = effective(instance)
      const reasonCode = rules.missing(profile)
      const libraries = rules.libraryChoice?.(profile)
      const notices = (reasonCode === undefined ? (rules.notices ?? []) : []).filter((notice) =>
        concerns(notice, profile as Settings),
      )
      const isRefreshable = hasRefreshToken(profile as Settings)
      const facts = identity.map((path) => {
        const value = valueAt(profile, path)
        return [
          path,
          isRefreshable && isRefreshed(path) ? value !== undefined && value !== '' && value !== 0 : (value ?? ''),
        ]
      })
      return {
        id: instance,
        label: cleanLabel((profile as Settings)['label']),
        configured: reasonCode === undefined,
        ...credentialEnd(profile as Settings, isRefreshable),
        ...(notices.length === 0 ? {} : { notices }),
        ...defined({ reasonCode, actsAs: actsAs(instance) }),
        fingerprint: digest(instance, facts),
        ...defined({ libraries }),
      }
    },
  }
}

function concerns({ when: { present = [], missing = [] } = {} }: VendorNotice, profile: Settings): boolean {
  const empty: readonly unknown[] = ['', 0, false, null, undefined]
  const isEmpty = (path: string) => empty.includes(valueAt(profile, path))
  return missing.every(isEmpty) && !present.some(isEmpty)
}

function actsAsOf({ acts_as: given }: Settings): ActsAs | undefined {
  return isRecord(given) && typeof given['via'] === 'string' ? (given as unknown as ActsAs) : undefined
}

function credentialEnd(
  { expires_at: seconds }: Settings,
  renews: boolean,
): Pick<ProfileState, 'credentialEndsAtMs' | 'credentialRenews'> {
  if (typeof seconds !== 'number' || seconds <= 0) return {}
  return { credentialEndsAtMs: seconds * 1_000, credentialRenews: renews }
}

/** A profile's own settings over inheritable ones of the default profile, over the schema's defaults; frozen. */
export function resolveProfile(shape: ProfileShape, own: Settings, base: Settings): unknown {
  return deepFreeze(resolveBelow(shape.profile, structuredClone(own), base, false))
}

/** Trimmed, whitespace collapsed, at most 40 characters. */
export function cleanLabel(label: unknown): string {
  return typeof label === 'string' ? [...label.trim().replace(/\s+/gu, ' ')].slice(0, 40).join('').trim() : ''
}

// Settings that select and authorize the account.
function identityOf<Profile>({ shape, credentials }: ProfileRules<Profile>): readonly string[] {
  return [...new Set([...credentials, ...shape.secrets, ...shape.boundTo.values()])].sort()
}

function isRefreshed(path: string): boolean {
  return REFRESHED.test(path.split('.').at(-1) as string)
}

function hasRefreshToken(profile: Settings): boolean {
  return leavesOf(profile).some(
    ([path, value]) => path.split('.').at(-1) === 'refresh_token' && typeof value === 'string' && value !== '',
  )
}

function byPath(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}

// The own value, else the default profile's if inheritable, else the schema's default.
function resolveBelow(schema: TSchema, own: unknown, base: unknown, isInherited: boolean): unknown {
  const properties = schema['properties'] as Readonly<Record<string, TSchema>> | undefined
  if (properties === undefined)
    return own ?? (isInherited ? structuredClone(base) : undefined) ?? structuredClone(schema.default as unknown)
  const fallback = isRecord(schema.default) ? schema.default : {}
  const result: Record<string, unknown> = merged(fallback, isRecord(own) ? own : {})
  for (const [name, property] of Object.entries(properties)) {
    const below = isRecord(own) ? own[name] : undefined
    const isWanted =
      below !== undefined ||
      property.default !== undefined ||
      (schema['required'] as readonly string[] | undefined)?.includes(name) === true
    const mayInherit = isInherited || property['inherit'] === true
    if (!isWanted && !mayInherit) continue
    const value = resolveBelow(property, below, isRecord(base) ? base[name] : undefined, mayInherit)
    if (value !== undefined) result[name] = value
  }
  return result
}
