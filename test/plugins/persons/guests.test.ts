// Sign-in links: what they let a guest do, and every way in which they must not work.
import { isPlayheadError, type KeyValueStore, PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { createGuests, LINK_MS, SESSION_MS } from '../../../plugins/services/persons/guests.ts'

const KIM = 'kim-id'

/** A household with one server, one tracker and one person, and the clock. */
function world() {
  const accounts = new Map<
    string,
    { uid: string; provider: string; instance: string; configured: boolean; label: string }
  >()
  const owners = new Map<string, string>()
  const names = new Map([[KIM, 'Kim']])
  const stored = new Map<string, string>()
  const calls: unknown[][] = []
  const flows = new Map<string, { state: string; shown: object }>()
  const state = { nowMs: 1_000_000_000, fails: false, wakeAtMs: 0, removal: null as Error | null, isKilled: false }
  const way = (method: string, kind: string, finish: object | null = null) => ({ method, kind, finish })
  const about = (id: string, label: string, ways: readonly object[]) => ({
    ...{ id, token: id.toLowerCase(), label, operations: { ways } },
    signIn: { verifyUrl: null },
  })
  const store = {
    get: async (key: string) => JSON.parse(stored.get(key) ?? 'null') ?? undefined,
    set: async (key: string, value: unknown) => void stored.set(key, JSON.stringify(value)),
  } as unknown as KeyValueStore
  accounts.set('admin', { uid: 'admin', provider: 'TRACKA', instance: 'default', configured: true, label: '' })
  const log = { info() {}, warn() {} } as never
  const open = () =>
    createGuests({
      ...{ store, log, now: () => state.nowMs, wake: (atMs) => (state.wakeAtMs = atMs) },
      accounts: {
        providers: async () =>
          [
            about('TRACKA', 'Trakt', [way('device_code', 'code'), way('oauth', 'redirect')]),
            about('MEDIAC', 'Emby', [way('password', 'form')]),
            about('NUVIO', 'Nuvio', [way('tv_login', 'code', {})]),
          ] as never,
        list: async () => [...accounts.values()] as never,
        async add(provider: string, order: { label?: string; copyFrom?: string; id?: string }) {
          calls.push(['add', provider, order])
          const uid = `uid-${calls.length}`
          const made = {
            uid,
            provider,
            instance: order.id ?? `${provider}-P0${calls.length}`,
            configured: false,
            label: order.label ?? '',
          }
          accounts.set(uid, made)
          if (state.isKilled) throw new Error('killed')
          return made as never
        },
        async remove(provider: string, instance: string) {
          if (state.removal !== null) throw state.removal
          calls.push(['remove', provider, instance])
          for (const [uid, one] of accounts) if (one.instance === instance) accounts.delete(uid)
        },
      },
      household: {
        names: () => names,
        async named(name) {
          names.set(name, name)
          return name
        },
        own: async (id, uid) => void owners.set(uid, id),
        disown: async (uid) => void owners.delete(uid),
      },
      provider: () => ({
        async startSignIn(instance: string, method: string) {
          if (state.fails) throw new Error('http://192.168.1.5:8096 does not answer')
          calls.push(['start', instance, method])
          const flow = {
            state: 'pending',
            shown: { user_code: `CODE${calls.length}`, verification_url: 'https://x.test' },
          }
          flows.set(instance, flow)
          return { ...flow, expiresAtMs: state.nowMs + 600_000, intervalMs: 5_000 } as never
        },
        async pollSignIn(instance: string) {
          const flow = flows.get(instance)
          return (flow && { ...flow, expiresAtMs: state.nowMs + 600_000, intervalMs: 5_000 }) as never
        },
        cancelSignIn: async (instance: string) => flows.delete(instance),
      }),
    })
  const approve = () => {
    for (const one of accounts.values()) if (flows.has(one.instance)) Object.assign(one, { configured: true })
    for (const flow of flows.values()) flow.state = 'authorized'
  }
  return { open, state, accounts, owners, names, stored, calls, flows, approve }
}

const order = { provider: 'TRACKA', person: { id: KIM }, from: 'default' } as const
const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => 'worked',
    (error: unknown) => (isPlayheadError(error) ? error.wire : String(error)),
  )

t.test('a link signs one person in at one service, and the account is theirs', async (t) => {
  const own = world()
  const guests = own.open()
  const { token, link } = await guests.create(order)
  t.match(link, { provider: 'TRACKA', label: 'Trakt', person: KIM, state: 'open' })
  t.strictSame(own.calls, [], 'nothing is made before the person begins')
  t.strictSame(await guests.look(token), { service: 'Trakt', person: 'Kim', untilMs: own.state.nowMs + LINK_MS })
  const { session, signIn } = await guests.start(token)
  t.match(signIn, { status: 'pending', code: 'CODE2', url: 'https://x.test', person: 'Kim' })
  t.strictSame(own.calls.slice(0, 1), [['add', 'TRACKA', { label: 'Kim', copyFrom: 'default' }]])
  t.equal((await guests.poll(session)).status, 'pending')
  own.approve()
  t.equal((await guests.poll(session)).status, 'authorized')
  t.equal((await guests.poll(session)).status, 'authorized', 'also after a reload of the page')
  t.strictSame([...own.owners.values()], [KIM])
  t.equal((await guests.list())[0]?.state, 'done')
  own.state.nowMs += 7 * LINK_MS
  await guests.sweep()
  t.strictSame(await guests.list(), [])
  t.equal(own.accounts.size, 2, 'the account stays')
})

t.test('a token works once, for one browser, and only as a whole', async (t) => {
  const own = world()
  const guests = own.open()
  const { token } = await guests.create(order)
  for (const guess of ['', token.slice(0, -1), `${token}A`, token.toLowerCase(), '__proto__', 'null'])
    t.equal(await refusal(guests.start(guess)), 'link_invalid', JSON.stringify(guess))
  const both = await Promise.allSettled([guests.start(token), guests.start(token)])
  t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  for (const again of [guests.look(token), guests.start(token), guests.poll(token), guests.again(token)])
    t.equal(await refusal(again), 'link_invalid')
  t.equal(own.calls.filter(([name]) => name === 'add').length, 1)
  t.equal(await refusal(guests.poll('')), 'link_invalid', 'no session is not the session of an open link')
  await guests.create(order)
  t.equal(await refusal(guests.poll('')), 'link_invalid')
})

t.test('neither the token nor the secret of the browser is stored', async (t) => {
  const own = world()
  const guests = own.open()
  const { token } = await guests.create(order)
  const before = [...own.stored.values()].join()
  const { session } = await guests.start(token)
  const after = [...own.stored.values()].join()
  for (const secret of [token, session]) t.notOk((before + after).includes(secret))
  const { session: other } = await guests.start((await guests.create(order)).token)
  t.not(session, other)
  t.equal((await guests.poll(session)).code, 'CODE2', 'each browser sees its own code')
})

t.test('an expired, a revoked link and one of a removed person do not work, and leave no account', async (t) => {
  const own = world()
  const guests = own.open()
  const late = await guests.create(order)
  t.equal(own.state.wakeAtMs, own.state.nowMs + LINK_MS)
  own.state.nowMs += LINK_MS
  t.equal(await refusal(guests.start(late.token)), 'link_invalid')
  const revoked = await guests.create(order)
  await guests.revoke(revoked.link.id)
  t.equal(await refusal(guests.start(revoked.token)), 'link_invalid')
  t.equal(await refusal(guests.revoke(revoked.link.id)), 'unknown_link')

  const begun = await guests.create(order)
  const { session } = await guests.start(begun.token)
  await guests.revoke(begun.link.id)
  t.equal(await refusal(guests.poll(session)), 'link_invalid')
  t.strictSame([own.accounts.size, own.flows.size, own.owners.size], [1, 0, 0], 'the code is cancelled too')

  const left = await guests.start((await guests.create(order)).token)
  own.state.nowMs += SESSION_MS
  t.equal(await refusal(guests.poll(left.session)), 'link_invalid')
  await guests.sweep()
  t.strictSame([own.accounts.size, own.flows.size, own.owners.size], [1, 0, 0])

  const orphan = await guests.create({ ...order, person: { name: 'Pat' } })
  const { session: of } = await guests.start(orphan.token)
  own.names.delete('Pat')
  t.equal(await refusal(guests.poll(of)), 'link_invalid')
  await guests.sweep()
  t.strictSame([own.accounts.size, own.owners.size], [1, 0])
})

t.test('a sign-in that is completed while no page looks stays', async (t) => {
  const own = world()
  const guests = own.open()
  const { token } = await guests.create(order)
  await guests.start(token)
  own.approve()
  own.state.nowMs += SESSION_MS
  await guests.sweep()
  t.equal(own.accounts.size, 2)
  t.strictSame([...own.owners.values()], [KIM])
})

t.test('a link that was made by a wrong clock does not work for longer', async (t) => {
  const own = world()
  const guests = own.open()
  const { token } = await guests.create(order)
  const { session } = await guests.start((await guests.create(order)).token)
  own.state.nowMs -= SESSION_MS / 2
  t.equal(await refusal(guests.look(token)), 'worked', 'a clock that is corrected a little ends nothing')
  t.equal(await refusal(guests.poll(session)), 'worked')
  own.state.nowMs -= 365 * LINK_MS
  t.equal(await refusal(guests.look(token)), 'link_invalid')
  t.equal(await refusal(guests.poll(session)), 'link_invalid')
  t.strictSame(await guests.list(), [])
  t.strictSame([own.accounts.size, own.owners.size], [1, 0])
})

t.test('an account that cannot be removed keeps no link alive, and hides no other', async (t) => {
  const own = world()
  const guests = own.open()
  const used = await guests.create(order)
  const { session } = await guests.start(used.token)
  own.state.removal = new PlayheadError('PLH_CONFLICT', 'A pair uses this profile.', { wire: 'provider_in_use' })
  await guests.revoke(used.link.id)
  t.equal(await refusal(guests.poll(session)), 'link_invalid')
  t.equal(own.accounts.size, 2, 'what is in use stays')

  await guests.start((await guests.create(order)).token)
  own.state.nowMs += SESSION_MS
  own.state.removal = new Error('the plugin starts')
  const { link } = await guests.create(order)
  t.match(await guests.list(), [{ state: 'started' }, { id: link.id }])
  own.state.removal = null
  t.match(await guests.list(), [{ id: link.id }], 'it is tried again')
})

t.test('a service that fails uses nothing up and says nothing of itself', async (t) => {
  const own = world()
  const guests = own.open()
  const { token } = await guests.create(order)
  own.state.fails = true
  const failure = await guests.start(token).catch((error: unknown) => error)
  t.match(failure, { wire: 'sign_in_failed' })
  t.notMatch(JSON.stringify([failure, (failure as Error).message]), '192.168')
  t.strictSame([own.accounts.size, own.owners.size], [1, 0])
  const again = await guests.start(token).catch((error: unknown) => error)
  t.match(again, { wire: 'sign_in_failed' })
  own.state.fails = false
  const { session } = await guests.start(token)
  t.equal((await guests.poll(session)).status, 'pending')
  const ids = own.calls.flatMap(([name, , added]) => (name === 'add' ? [(added as { id?: string }).id] : []))
  t.strictSame(ids, [undefined, 'TRACKA-P01', 'TRACKA-P01'], 'also no number of an account, which is given only once')
})

t.test('another code is for the same account, also after a restart', async (t) => {
  const own = world()
  const { session } = await own.open().start((await own.open().create(order)).token)
  const guests = own.open()
  own.flows.clear()
  t.equal((await guests.poll(session)).code, null)
  t.match(await guests.again(session), { status: 'pending' })
  t.equal(own.calls.filter(([name]) => name === 'add').length, 1)
  own.approve()
  t.equal((await guests.again(session)).status, 'authorized', 'and none after the sign-in')
})

t.test('an account of a start during which Playhead was killed is that of the next start, or is removed', async (t) => {
  const own = world()
  const killed = async () => {
    const { token, link } = await own.open().create(order)
    own.state.isKilled = true
    await refusal(own.open().start(token))
    own.state.isKilled = false
    return { token, id: link.id }
  }
  const { token } = await killed()
  t.equal(own.accounts.size, 2)
  const { session } = await own.open().start(token)
  t.equal(own.accounts.size, 2, 'the link still works, and goes on with it')
  own.approve()
  t.equal((await own.open().poll(session)).status, 'authorized')

  const { id } = await killed()
  t.equal(own.accounts.size, 3)
  await own.open().revoke(id)
  t.equal(own.accounts.size, 2)

  await killed()
  own.accounts.set('other', {
    uid: 'other',
    provider: 'TRACKA',
    instance: 'TRACKA-P77',
    configured: false,
    label: 'Kim',
  })
  own.state.nowMs += LINK_MS
  await own.open().sweep()
  t.equal(own.accounts.size, 4, 'none is removed if it may be that of someone else')
})

t.test('links are refused where none can work', async (t) => {
  const own = world()
  const guests = own.open()
  const cases: readonly (readonly [object, string])[] = [
    [{ ...order, provider: 'MEDIAC' }, 'no_guest_sign_in'],
    [{ ...order, provider: 'NUVIO' }, 'no_guest_sign_in'],
    [{ ...order, provider: 'GONE' }, 'unknown_provider'],
    [{ ...order, from: 'TRACKA-P07' }, 'unknown_instance'],
    [{ ...order, person: { id: 'gone' } }, 'unknown_person'],
  ]
  for (const [wrong, wire] of cases) t.equal(await refusal(guests.create(wrong as never)), wire)
  for (let made = 0; made < 50; made += 1) await guests.create(order)
  t.equal(await refusal(guests.create(order)), 'too_many_links')
  own.state.nowMs += LINK_MS
  t.equal(await refusal(guests.create(order)), 'worked', 'old ones make room')
})
