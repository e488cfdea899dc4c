// Stable uids of profiles. An id such as MEDIAB-P01 can be reused for another account; a uid cannot. Uids are stored in
// the configuration and purged only when the live provider no longer lists the profile.
import { type Static, Type, createTurns } from '@playhead/sdk'
import { randomUUID } from 'node:crypto'

const Entry = Type.Object({ provider: Type.String({ default: '' }), instance: Type.String({ default: '' }) })

/** uid → profile. */
export const UidSection = Type.Object(
  {},
  { additionalProperties: Entry, description: 'IDs of accounts, managed by Playhead.' },
)

type Stored = Readonly<Record<string, unknown>>
type Change = Record<string, Static<typeof Entry> | undefined>

/** A live provider with the complete list of its profiles. */
interface Seen {
  readonly about: { readonly id: string }
  readonly profiles: readonly { readonly id: string }[]
}

interface Reconciled<Provider> {
  readonly providers: readonly Provider[]
  uidOf(provider: string, instance: string): string
}

export interface Uids {
  /** Reads the providers and updates the uids. Serialized, so that an older reading cannot undo a newer one. */
  reconcile<Provider extends Seen>(readProviders: () => Promise<readonly Provider[]>): Promise<Reconciled<Provider>>
  /** Creates the uid of a new profile, even while its provider does not list it yet. */
  make(provider: string, instance: string): Promise<string>
  remove(provider: string, instance: string): Promise<void>
  /** Called when the stored uids were changed elsewhere. */
  replace(stored: Stored): void
}

interface UidsOptions {
  readonly stored: Stored
  readonly change: (mutate: (stored: Stored) => Change) => Promise<void>
}

export function createUids({ stored, change }: UidsOptions): Uids {
  let known = byName(stored)
  const young = new Set<string>()

  const inTurn = createTurns()

  // Decide on the stored state at the time of the write.
  async function update(decide: (stored: Stored) => Change): Promise<void> {
    let after = known
    await change((now) => {
      const wanted = decide(now)
      after = byName({ ...now, ...wanted })
      return wanted
    })
    known = after
  }

  return {
    reconcile: (readProviders) =>
      inTurn(async () => {
        const providers = await readProviders()
        for (const { about, profiles } of providers) for (const { id } of profiles) young.delete(nameOf(about.id, id))
        if (!isSettled(known, providers, young)) await update((now) => changeFor(now, providers, young))
        const uids = known
        return { providers, uidOf: (provider, instance) => uids.get(nameOf(provider, instance)) as string }
      }),
    make: (provider, instance) =>
      inTurn(async () => {
        const name = nameOf(provider, instance)
        young.add(name)
        if (!known.has(name))
          await update((now) => (byName(now).has(name) ? {} : { [newUid()]: { provider, instance } }))
        return known.get(name) as string
      }),
    remove: (provider, instance) =>
      inTurn(async () => {
        const name = nameOf(provider, instance)
        young.delete(name)
        await update((now) =>
          Object.fromEntries(
            entriesOf(now)
              .filter((entry) => entry.name === name)
              .map(({ uid }) => [uid, undefined]),
          ),
        )
      }),
    replace(now) {
      known = byName(now)
    },
  }
}

/** The change that gives each profile of the providers exactly one uid. */
export function changeFor(stored: Stored, providers: readonly Seen[], young: ReadonlySet<string> = new Set()): Change {
  const change: Change = {}
  const complete = providers.filter(isComplete)
  const present = new Set(providers.flatMap(namesOf))
  const judged = new Set(complete.map(({ about }) => about.id))
  const taken = byName(stored)
  for (const { uid, name, provider } of entriesOf(stored)) {
    const isGone = judged.has(provider) && !present.has(name) && !young.has(name)
    if (isGone || (taken.get(name) !== uid && judged.has(provider))) change[uid] = undefined
  }
  for (const { about, profiles } of providers) {
    for (const { id } of profiles)
      if (!taken.has(nameOf(about.id, id))) change[newUid()] = { provider: about.id, instance: id }
  }
  return change
}

function isSettled(
  known: ReadonlyMap<string, string>,
  providers: readonly Seen[],
  young: ReadonlySet<string>,
): boolean {
  const present = new Set(providers.flatMap(namesOf))
  const judged = new Set(providers.filter(isComplete).map(({ about }) => about.id))
  const isKept = (name: string) => present.has(name) || young.has(name) || !judged.has(name.slice(0, name.indexOf('@')))
  return [...present].every((name) => known.has(name)) && [...known.keys()].every(isKept)
}

// Each provider has a default profile, so a list without it is incomplete.
function isComplete({ profiles }: Seen): boolean {
  return profiles.some(({ id }) => id === 'default')
}

function namesOf({ about, profiles }: Seen): string[] {
  return profiles.map(({ id }) => nameOf(about.id, id))
}

function byName(stored: Stored): ReadonlyMap<string, string> {
  const uids = new Map<string, string>()
  for (const { uid, name } of entriesOf(stored)) if (/^[0-9a-f]{32}$/.test(uid) && !uids.has(name)) uids.set(name, uid)
  return uids
}

function entriesOf(stored: Stored): { readonly uid: string; readonly name: string; readonly provider: string }[] {
  return Object.entries(stored).flatMap(([uid, value]) => {
    const { provider, instance } = (value ?? {}) as Partial<Static<typeof Entry>>
    return typeof provider === 'string' && typeof instance === 'string'
      ? [{ uid, name: nameOf(provider, instance), provider }]
      : []
  })
}

function nameOf(provider: string, instance: string): string {
  return `${provider}@${instance}`
}

function newUid(): string {
  return randomUUID().replaceAll('-', '')
}
