// Creates, replaces and deletes profiles. Numbers are never reused: data stored under an old profile's id would belong
// to another account.
import type { TSchema } from '@sinclair/typebox'
import { isRecord } from '../../items/result.ts'
import { PlayheadError } from '../../errors.ts'
import type { KeyValueStore } from '../../context.ts'
import { isMasked } from '../../secrets.ts'
import type { NewProfile } from '../contract.ts'
import type { LiveSettings } from './live-settings.ts'
import { isSecretOf, type ProfileShape } from './profile-schema.ts'
import { DEFAULT_PROFILE, canonicalId, invalidId, isOfProvider, numberOf, unknownProfile } from './profile-ids.ts'
import { cleanLabel, type Profiles } from './profiles.ts'
import { leavesOf, originOf, replacing, type Settings, valueAt, withValue } from './settings-tree.ts'

const MAX_NUMBER = 99
const HIGHEST = 'highest-profile'
const POLLUTING = new Set(['__proto__', 'constructor', 'prototype'])
// Ids of an account or a device; a copied profile must not inherit them.
const OWN_IDS = /^(?:account_?id|user_?id|device_?id|machine_?id|server_?id|profile_?id|client_identifier)$/i

interface ProfileEditDependencies {
  readonly providerId: string
  readonly shape: ProfileShape
  readonly credentials: readonly string[]
  readonly profiles: Profiles<unknown>
  readonly settings: LiveSettings
  /** Storage of the kit. */
  readonly store: KeyValueStore
  /** Throws `PLH_CONFLICT` if the profile is in use. */
  readonly assertUnused: (instance: string) => Promise<void>
}

export interface ProfileEdits {
  create(profile: NewProfile): Promise<string>
  save(instance: string, settings: Settings): Promise<void>
  /** Removes the profile's settings. */
  remove(instance: string): Promise<void>
}

export function createProfileEdits({
  providerId,
  shape,
  credentials,
  profiles,
  settings,
  store,
  assertUnused,
}: ProfileEditDependencies): ProfileEdits {
  // Serialized, so that two new profiles do not get the same number.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }

  async function create({
    copyFrom,
    settings: given,
    label,
    includeCredentials = false,
    id,
  }: NewProfile): Promise<string> {
    if (given !== undefined) checkKeys(given)
    const source = given ?? copied(copyFrom, includeCredentials)
    const settingsOfNew = without(
      source,
      (path, value) =>
        path === 'label' ||
        path.startsWith('_') ||
        (includeCredentials ? isMaskedSecret(path, value) : isPersonal(path, value)),
    )
    const instance = id === undefined ? await nextId() : checkedId(id)
    if (profiles.has(instance)) {
      throw new PlayheadError('PLH_CONFLICT', `The profile ${instance} is there already.`, {
        wire: 'profile_exists',
        details: { instance },
      })
    }
    await write(instance, true, () =>
      withValue(settingsOfNew, 'label', label === undefined ? undefined : cleanLabel(label)),
    )
    return instance
  }

  function copied(from: string | undefined, includeCredentials: boolean): Settings {
    const instance = from === undefined || from.trim() === '' ? DEFAULT_PROFILE : canonicalId(from)
    if (!profiles.has(instance)) {
      throw new PlayheadError('PLH_NOT_FOUND', `There is no profile "${from}" to copy.`, {
        wire: 'copy_source_not_found',
        details: { copy_from: from },
      })
    }
    if (instance !== DEFAULT_PROFILE || (includeCredentials && from !== undefined)) return profiles.own(instance)
    if (from === undefined || from.trim() === '') return {}
    // Inheritable settings need no copy. Others do, such as the address of a server.
    return without(profiles.own(instance), (path) => isInherited(shape.profile, path.split('.')))
  }

  async function save(instance: string, given: Settings): Promise<void> {
    const id = checkedId(instance)
    checkKeys(given)
    const isNew = !profiles.has(id)
    // Removing the credentials, or changing their address, disconnects the profile.
    if (!isNew && profiles.state(id).configured && !profiles.wouldBeConfigured(wantedOf(given, profiles.own(id))))
      await assertUnused(id)
    // Computed at the time of writing: a credential may just have been refreshed.
    await write(id, isNew, (stored) => wantedOf(given, stored))
  }

  function wantedOf(given: Settings, stored: Settings): Settings {
    const plain = without(given, (path, value) => value === null || value === undefined || isMaskedSecret(path, value))
    const kept = leavesOf(given)
      .filter(([path, value]) => isMaskedSecret(path, value))
      .reduce((wanted, [path]) => withValue(wanted, path, keptSecret(path, stored, given)), plain)
    const label = cleanLabel(given['label'])
    return withValue(kept, 'label', label === '' ? undefined : label)
  }

  // A stored secret is kept only with its address.
  function keptSecret(path: string, stored: Settings, given: Settings): unknown {
    const address = shape.boundTo.get(path)
    const at = (settings: Settings) =>
      address === undefined ? '' : originOf(valueAt(profiles.resolve(settings, {}), address))
    return at(stored) === at(given) ? valueAt(stored, path) : undefined
  }

  async function write(instance: string, isNew: boolean, make: (stored: Settings) => Settings): Promise<void> {
    await noteNumber(instance)
    await settings.update((stored) => {
      const own = (valueAt(stored, 'instances') as Settings | undefined)?.[instance]
      if (!isNew && !isRecord(own)) throw unknownProfile(instance)
      return { instances: { [instance]: replacing(own, make(isRecord(own) ? own : {})) } }
    })
  }

  async function remove(instance: string): Promise<void> {
    await noteNumber(instance)
    await settings.update(() => ({ instances: { [instance]: undefined } }))
  }

  async function nextId(): Promise<string> {
    const number = (await highest()) + 1
    if (number > MAX_NUMBER) throw limitReached()
    return `${providerId}-P${String(number).padStart(2, '0')}`
  }

  async function highest(): Promise<number> {
    const noted = (await store.get<number>(HIGHEST)) ?? 0
    return Math.max(noted, ...profiles.ids().map(numberOf))
  }

  async function noteNumber(instance: string): Promise<void> {
    const number = Math.max(await highest(), numberOf(instance))
    if (number !== (await store.get(HIGHEST))) await store.set(HIGHEST, number)
  }

  function checkedId(text: string): string {
    const id = canonicalId(text)
    if (id === DEFAULT_PROFILE) {
      throw new PlayheadError(
        'PLH_INVALID',
        'The default account cannot be replaced. Save the settings of the service instead.',
        { wire: 'reserved_instance_id' },
      )
    }
    if (isOfProvider(id, providerId)) return id
    throw invalidId(text, providerId)
  }

  const isMaskedSecret = (path: string, value: unknown) => isSecretOf(shape, path) && isMasked(value)
  const isPersonal = (path: string, value: unknown) =>
    value === null ||
    isSecretOf(shape, path) ||
    path.startsWith('acts_as.') ||
    credentials.some((one) => path === one || path.startsWith(`${one}.`)) ||
    OWN_IDS.test(path.split('.').at(-1) as string)

  return {
    create: (profile) => inTurn(() => create(profile)),
    save: (instance, given) => inTurn(() => save(instance, given)),
    remove: (instance) => inTurn(() => remove(instance)),
  }

  function limitReached(): PlayheadError {
    return new PlayheadError(
      'PLH_CONFLICT',
      `All ${MAX_NUMBER} numbers for further accounts of ${providerId} are used. A number is never used again.`,
      { wire: 'profile_limit_reached', details: { limit: MAX_NUMBER } },
    )
  }
}

function without(settings: Settings, isLeftOut: (path: string, value: unknown) => boolean): Settings {
  return leavesOf(settings)
    .filter(([path, value]) => isLeftOut(path, value))
    .reduce<Settings>((kept, [path]) => withValue(kept, path, undefined), settings)
}

function isInherited(schema: TSchema, [name = '', ...rest]: readonly string[]): boolean {
  const property = (schema['properties'] as Readonly<Record<string, TSchema>> | undefined)?.[name]
  if (property === undefined) return false
  return property['inherit'] === true || (rest.length > 0 && isInherited(property, rest))
}

function checkKeys(settings: Settings): void {
  for (const name of Object.keys(settings)) {
    if (name === 'instances' || name.startsWith('_')) throw refusedKey(name)
  }
  const below = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(below)
    if (!isRecord(value)) return
    for (const [name, item] of Object.entries(value)) {
      if (POLLUTING.has(name)) throw refusedKey(name)
      below(item)
    }
  }
  below(settings)
}

function refusedKey(name: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `"${name}" is not accepted as a key of a profile.`, {
    wire: 'invalid_key',
    details: { key: name },
  })
}
