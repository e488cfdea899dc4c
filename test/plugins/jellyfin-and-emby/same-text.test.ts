// Repeated reads: unchanged responses of the server are not parsed again, and every change is detected.
import t from 'tap'
import { PRODUCTS, type SignedIn, signedIn } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15)

async function watched(account: SignedIn) {
  const { server } = account
  for (const type of ['Movie', 'Episode'] as const)
    for (const { id } of server.items(type)) server.actions.markPlayed('sam', id, AT_MS)
  return await account.read('history')
}

for (const product of PRODUCTS) {
  t.test(`${product}: an account with unchanged responses returns no rows, except unidentified ones`, async (t) => {
    await using account = await signedIn(product, { movies: 6, shows: 1 })
    account.server.actions.markPlayed(
      'sam',
      account.server.actions.addItem({ type: 'movie', title: 'Home video', year: 2020, ids: {} }).id,
      AT_MS,
    )
    const first = await watched(account)
    t.match(first.end, {
      semantics: 'present',
      complete: true,
      repeatsUnreadable: true,
      unreadable: [{ reason: 'missing_ids', title: 'Home video' }],
    })
    account.requests()
    const again = await account.read('history', { since: first.end.checkpoint! })
    t.strictSame(again, { rows: [], end: { ...first.end, semantics: 'unchanged' } })
    t.equal(account.requests(), 1)
  })

  const changes: Readonly<Record<string, (account: SignedIn) => unknown>> = {
    'another play': ({ server }) => server.actions.markPlayed('sam', server.items('Movie')[0]!.id, AT_MS + 1_000),
    'a play that was taken off': ({ server }) => server.actions.markUnplayed('sam', server.items('Movie')[3]!.id),
    'a film that left': ({ server }) => server.actions.removeItem(server.items('Movie')[3]!.id),
    'an id that was mended': ({ server }) => Object.assign(server.items('Movie')[2]!.providerIds, { Tmdb: '424242' }),
  }
  for (const [what, change] of Object.entries(changes)) {
    t.test(`${product}: ${what} is detected`, async (t) => {
      await using account = await signedIn(product, { movies: 6, shows: 1 })
      const { end } = await watched(account)
      change(account)
      const [again, whole] = [await account.read('history', { since: end.checkpoint! }), await account.read('history')]
      t.equal(again.end.semantics, 'present')
      t.strictSame(again.rows, whole.rows)
    })
  }

  t.test(`${product}: a change on the last page is detected, and the earlier pages are read again`, async (t) => {
    await using account = await signedIn(product, { movies: 2_600, shows: 0 })
    const { server } = account
    const { rows, end } = await watched(account)
    t.equal((await account.read('history', { since: end.checkpoint! })).end.semantics, 'unchanged')
    server.actions.markUnplayed('sam', rows.at(-1)!.native!.item_id!)
    const again = await account.read('history', { since: end.checkpoint! })
    t.match(again.end, { semantics: 'present', complete: true })
    t.equal(again.rows.length, rows.length - 1)
    t.equal((await account.read('history', { since: again.end.checkpoint! })).end.semantics, 'unchanged')
  })

  t.test(`${product}: a checkpoint of another request, of yesterday, or of no account starts again`, async (t) => {
    await using account = await signedIn(product, { movies: 6, shows: 1 })
    const { rows, end } = await watched(account)
    const checkpoint = JSON.parse(end.checkpoint!) as { fullAtMs: number; shows: string }
    const old = JSON.stringify({ ...checkpoint, fullAtMs: checkpoint.fullAtMs - 25 * 3_600_000 })
    for (const since of [
      old,
      'nonsense',
      JSON.stringify({ ...checkpoint, account: 'other/user' }),
      JSON.stringify({ ...checkpoint, shows: 'other' }),
    ]) {
      const again = await account.read('history', { since })
      t.match(again.end, { semantics: 'present', complete: true })
      t.equal(again.rows.length, rows.length)
    }
    t.equal((await account.read('history', { since: end.checkpoint!, kinds: ['movie'] })).end.semantics, 'present')
    t.equal((await account.read('progress', { since: end.checkpoint! })).end.semantics, 'present')
  })

  t.test(`${product}: while an item is missing that no person removed, every read is a full one`, async (t) => {
    await using account = await signedIn(product, { movies: 6, shows: 0 })
    await watched(account)
    account.server.actions.removeItem(account.server.items('Movie')[3]!.id)
    const { end } = await account.read('history')
    t.equal(end.gone?.length, 1)
    t.equal(end.checkpoint, undefined)
  })
}
