// Links with which a person signs in at one service, without an account of Playhead. A link is for one person and one account,
// and works once: its token is exchanged for a secret of one browser, with which that sign-in alone can be followed.
// The account is made when the sign-in starts, belongs to the person from then on, and is removed if that is not completed.
import {
  type Account,
  type Accounts,
  createTurns,
  isPlayheadError,
  isRecent,
  type FlowState,
  type KeyValueStore,
  type Logger,
  namedPerson,
  namedProvider,
  PlayheadError,
  type Provider,
  type ProviderDescription,
  type Remote,
  type SignInMethod,
} from '@playhead/sdk'
import { createHash, randomBytes } from 'node:crypto'
import type { Household } from './household.ts'

export const LINK_MS = 24 * 3_600_000
/** For the sign-in, from its start. */
export const SESSION_MS = 3_600_000
const DONE_MS = 24 * 3_600_000
const LIFE_MS = { open: LINK_MS, started: SESSION_MS, done: DONE_MS } as const
const MAX_LINKS = 50
const KEY = 'sign-in-links'
const LABEL_LENGTH = 40
const INVALID = 'link_invalid'

interface StoredLink {
  readonly id: string
  /** Id of the person who signs in. */
  readonly person: string
  readonly provider: string
  readonly method: SignInMethod
  /** The profile whose settings the new one copies, without credentials. */
  readonly from: string
  readonly untilMs: number
  /** SHA-256 of the token; null once it was used. */
  readonly token: string | null
  /** SHA-256 of the secret of the browser that used it. */
  readonly session: string | null
  /** Of an open link: the number of the account of a start that failed, for the next one. */
  readonly instance: string | null
  readonly uid: string | null
  /** The profiles of the service before the account is made, until it is known here. */
  readonly before: readonly string[] | null
  readonly state: 'open' | 'started' | 'done'
}

export interface GuestLink {
  readonly id: string
  readonly person: string
  readonly provider: string
  /** `Jellyfin` */
  readonly label: string
  readonly state: StoredLink['state']
  readonly untilMs: number
}

/** Shown to a guest; nothing else of the household is. */
export interface GuestView {
  /** The name of the service. */
  readonly service: string
  /** The name of the guest. */
  readonly person: string
  readonly untilMs: number
}

export interface GuestSignIn extends GuestView {
  /** `none`: the code was lost by a restart. */
  readonly status: FlowState['state'] | 'none'
  readonly code: string | null
  readonly url: string | null
  readonly expiresAtMs: number | null
  readonly intervalMs: number
}

export interface GuestOrder {
  readonly provider: string
  /** Id of a person, or the name of one, who is added if there is none of that name. */
  readonly person: { readonly id: string } | { readonly name: string }
  readonly from: string
}

export interface GuestDependencies {
  readonly store: KeyValueStore
  readonly accounts: Pick<Remote<Accounts>, 'providers' | 'list' | 'add' | 'remove'>
  readonly household: Pick<Household, 'names' | 'named' | 'own' | 'disown'>
  readonly log: Logger
  provider(id: string): Pick<Remote<Provider>, 'startSignIn' | 'pollSignIn' | 'cancelSignIn'>
  now(): number
  /** Calls `sweep` at this time, also after a restart. */
  wake(atMs: number): void
}

export type Guests = ReturnType<typeof createGuests>

/** The sign-in with a code that a link can start; undefined if there is none. */
export function guestMethod({ operations }: Pick<ProviderDescription, 'operations'>): SignInMethod | undefined {
  return operations?.ways.find(({ kind, finish }) => kind === 'code' && finish === null)?.method
}

export function createGuests({ store, accounts, household, log, provider: providerOf, now, wake }: GuestDependencies) {
  const inTurn = createTurns()
  const read = async () => (await store.get<readonly StoredLink[]>(KEY)) ?? []
  async function write(links: readonly StoredLink[]): Promise<void> {
    await store.set(KEY, links)
    if (links.length > 0) wake(Math.min(...links.map(({ untilMs }) => untilMs)))
  }
  const replace = async (link: StoredLink) => write((await read()).map((one) => (one.id === link.id ? link : one)))

  const isOver = ({ state, untilMs, person }: StoredLink) =>
    !isRecent(untilMs - LIFE_MS[state], now(), LIFE_MS[state]) || !household.names().has(person)

  async function describe(id: string): Promise<ProviderDescription> {
    return namedProvider(await accounts.providers(), id)
  }

  const labelOf = ({ person }: StoredLink) => [...(household.names().get(person) ?? '')].slice(0, LABEL_LENGTH).join('')

  async function accountOf(link: StoredLink): Promise<Account | undefined> {
    const { provider, uid, before } = link
    if (uid === null && before === null) return undefined
    const all = (await accounts.list()).filter((one) => one.provider === provider)
    if (uid !== null || before === null) return all.find((one) => one.uid === uid)
    // Made by a start during which Playhead was killed. In doubt it is someone else's.
    const made = all.filter(
      ({ instance, configured, label }) => !before.includes(instance) && !configured && label === labelOf(link),
    )
    return made.length === 1 ? made[0] : undefined
  }

  /** A new account, or the one of an interrupted start. */
  async function accountFor(link: StoredLink): Promise<Account> {
    const kept = await accountOf(link)
    if (kept !== undefined) return kept
    const before = (await accounts.list()).filter(({ provider }) => provider === link.provider)
    await replace({ ...link, before: before.map(({ instance }) => instance) })
    return accounts.add(link.provider, {
      label: labelOf(link),
      copyFrom: link.from,
      ...(link.instance === null ? {} : { id: link.instance }),
    })
  }

  /** A link that still works. One that is unknown, used, expired, revoked, or of a removed person is the same to a guest. */
  async function working(isMeant: (link: StoredLink) => boolean): Promise<StoredLink> {
    const link = (await read()).find(isMeant)
    if (link !== undefined && !isOver(link)) return link
    throw new PlayheadError('PLH_NOT_FOUND', 'This link does not work, or it was used already. Ask for another one.', {
      wire: INVALID,
    })
  }
  const byToken = (token: string) => working((link) => link.token === digest(token))
  const bySession = (session: string) => working((link) => link.session === digest(session))

  async function viewOf({ provider, person, untilMs }: StoredLink): Promise<GuestView> {
    const { label } = await describe(provider)
    return { service: label, person: household.names().get(person) ?? '', untilMs }
  }

  async function signInOf(link: StoredLink, flow: FlowState | undefined): Promise<GuestSignIn> {
    const view = await viewOf(link)
    const shown = (names: readonly string[]) =>
      names.map((name) => flow?.shown[name]).find((value): value is string => typeof value === 'string' && value !== '')
    const { verifyUrl } = (await describe(link.provider)).signIn
    return {
      ...view,
      status: link.state === 'done' ? 'authorized' : (flow?.state ?? 'none'),
      code: shown(['user_code', 'code']) ?? null,
      url: shown(['verification_url', 'verification_uri', 'login_url', 'auth_url']) ?? verifyUrl,
      expiresAtMs: flow?.expiresAtMs ?? null,
      intervalMs: flow?.intervalMs ?? 3_000,
    }
  }

  async function flowOf({ provider, instance, method }: StoredLink): Promise<FlowState> {
    const start = providerOf(provider).startSignIn
    if (start === undefined) throw new PlayheadError('PLH_UNSUPPORTED', 'This service has no sign-in with a code.')
    return start(instance!, method)
  }

  /** Errors of services may name addresses and accounts, which a guest does not learn. */
  async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (isPlayheadError(error) && error.wire === INVALID) throw error
      log.warn({ err: error }, 'the sign-in of a guest failed')
      throw new PlayheadError('PLH_UPSTREAM', 'The service did not answer as expected. Try again later.', {
        wire: 'sign_in_failed',
      })
    }
  }

  /** Makes the account and starts its sign-in. If that fails, the link works as before. */
  async function begin(link: StoredLink): Promise<{ readonly session: string; readonly signIn: GuestSignIn }> {
    const made = await accountFor(link)
    const session = randomBytes(32).toString('base64url')
    const started: StoredLink = {
      ...link,
      state: 'started',
      token: null,
      session: digest(session),
      instance: made.instance,
      uid: made.uid,
      before: null,
      untilMs: now() + SESSION_MS,
    }
    await replace(started)
    try {
      await household.own(link.person, made.uid)
      const flow = await flowOf(started)
      log.info({ provider: link.provider, instance: made.instance, link: link.id }, 'a guest began to sign in')
      return { session, signIn: await signInOf(started, flow) }
    } catch (error) {
      await drop(started)
      // A service numbers its accounts only up to a limit, and never counts back.
      await replace({ ...link, instance: made.instance, before: null })
      throw error
    }
  }

  /** Removes the account of a sign-in that was not completed. */
  async function drop(link: StoredLink): Promise<void> {
    if (link.state === 'done') return
    const account = await accountOf(link)
    if (account === undefined || account.configured) return
    await providerOf(link.provider).cancelSignIn?.(account.instance, link.method)
    await household.disown(account.uid)
    try {
      await accounts.remove(link.provider, account.instance)
    } catch (error) {
      // Something uses it. The link must end all the same.
      if (!isPlayheadError(error, 'PLH_CONFLICT')) throw error
      log.warn({ provider: link.provider, instance: account.instance, link: link.id }, 'the account of a link stays')
    }
  }

  async function settled(link: StoredLink): Promise<StoredLink> {
    if (link.state !== 'started' || (await accountOf(link))?.configured !== true) return link
    const done: StoredLink = { ...link, state: 'done', untilMs: now() + DONE_MS }
    await replace(done)
    log.info({ provider: link.provider, instance: link.instance, link: link.id }, 'a guest signed in')
    return done
  }

  /** Ends links whose time is over, also those whose sign-in was completed unseen. */
  async function sweep(): Promise<void> {
    for (const found of await read()) {
      try {
        const link = await settled(found)
        if (!isOver(link)) continue
        await drop(link)
        await write((await read()).filter(({ id }) => id !== link.id))
      } catch (error) {
        log.warn({ err: error, link: found.id }, 'a link that is over could not be removed; it is tried again')
      }
    }
  }

  return {
    sweep: () => inTurn(sweep),

    list: () =>
      inTurn(async (): Promise<readonly GuestLink[]> => {
        await sweep()
        const providers = await accounts.providers()
        return (await read()).map(({ id, person, provider, state, untilMs }) => ({
          ...{ id, person, provider, state, untilMs },
          label: providers.find((one) => one.id === provider)?.label ?? provider,
        }))
      }),

    /** The services at which a link can start a sign-in. */
    services: async () =>
      (await accounts.providers())
        .filter((one) => guestMethod(one) !== undefined)
        .map(({ id, label }) => ({ provider: id, label })),

    /**
     * @returns the token, which is stored nowhere
     * @throws `PLH_NOT_FOUND` (`unknown_provider`, `unknown_instance`, `unknown_person`), `PLH_UNSUPPORTED`
     * (`no_guest_sign_in`), `PLH_CONFLICT` (`too_many_links`, `too_many_persons`)
     */
    create: ({ provider, person, from }: GuestOrder) =>
      inTurn(async (): Promise<{ readonly link: GuestLink; readonly token: string }> => {
        await sweep()
        const about = await describe(provider)
        const method = guestMethod(about)
        if (method === undefined)
          throw new PlayheadError(
            'PLH_UNSUPPORTED',
            `${about.label} has no sign-in with a code, so no link can start one.`,
            { wire: 'no_guest_sign_in' },
          )
        if (!(await accounts.list()).some((one) => one.provider === about.id && one.instance === from))
          throw new PlayheadError('PLH_NOT_FOUND', `${about.label} has no such profile.`, { wire: 'unknown_instance' })
        const links = await read()
        if (links.length >= MAX_LINKS)
          throw new PlayheadError('PLH_CONFLICT', `There are ${MAX_LINKS} links. Revoke one first.`, {
            wire: 'too_many_links',
          })
        const owner = 'id' in person ? person.id : await household.named(person.name)
        namedPerson(
          [...household.names().keys()].map((one) => ({ id: one })),
          owner,
        )
        const token = randomBytes(32).toString('base64url')
        const link: StoredLink = {
          ...{ id: randomBytes(9).toString('base64url'), person: owner, provider: about.id, method, from },
          ...{
            untilMs: now() + LINK_MS,
            token: digest(token),
            session: null,
            instance: null,
            uid: null,
            before: null,
            state: 'open',
          },
        }
        await write([...links, link])
        const { id, state, untilMs } = link
        return { link: { id, person: owner, provider: about.id, label: about.label, state, untilMs }, token }
      }),

    /** @throws `PLH_NOT_FOUND` (`unknown_link`) */
    revoke: (id: string) =>
      inTurn(async () => {
        const links = await read()
        const link = links.find((one) => one.id === id)
        if (link === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', 'This link does not exist.', { wire: 'unknown_link' })
        await drop(link)
        await write(links.filter((one) => one.id !== id))
      }),

    /** The purpose of a link, which stays unused. Throws `PLH_NOT_FOUND` (`link_invalid`). */
    look: async (token: string) => viewOf(await byToken(token)),

    /** Uses the link. Throws `PLH_NOT_FOUND` (`link_invalid`), `PLH_UPSTREAM` (`sign_in_failed`): the link works again then. */
    start: (token: string) => inTurn(() => guarded(async () => begin(await byToken(token)))),

    /** Another code for the same account. Throws as `start`. */
    again: (session: string) =>
      inTurn(() =>
        guarded(async () => {
          const link = await settled(await bySession(session))
          return signInOf(link, link.state === 'done' ? undefined : await flowOf(link))
        }),
      ),

    /** The progress of the sign-in of a browser. Throws as `start`. */
    poll: (session: string): Promise<GuestSignIn> =>
      guarded(async () => {
        const link = await bySession(session)
        const flow =
          link.state === 'done' ? undefined : await providerOf(link.provider).pollSignIn?.(link.instance!, link.method)
        return signInOf(await inTurn(async () => settled(await bySession(session))), flow)
      }),
  }
}

/** Only digests are stored: neither settings nor backups contain a link that works. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
