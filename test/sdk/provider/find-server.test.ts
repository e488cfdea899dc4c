// The server at an address that a person entered: with and without a scheme, from a page, and below the root.
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import { findServer, type FindServerOptions, refusedAs } from '@playhead/sdk/provider'

/** Finds a product that is at one place; notes where it was looked for. */
async function find(entered: string, place: string | PlayheadError, options?: FindServerOptions) {
  const looked: string[] = []
  const found = await findServer(
    entered,
    async (address) => {
      looked.push(address)
      if (typeof place !== 'string') throw place
      if (address !== place) throw new PlayheadError('PLH_NOT_FOUND', 'Nothing is there.')
    },
    options,
  ).catch((error: unknown) => error as PlayheadError)
  return { found, looked }
}

t.test('without a scheme https is tried first, then http', async (t) => {
  t.same(await find('nas:5055', 'http://nas:5055'), {
    found: 'http://nas:5055',
    looked: ['https://nas:5055', 'http://nas:5055'],
  })
  t.same(await find('http://nas:5055/', 'http://nas:5055'), { found: 'http://nas:5055', looked: ['http://nas:5055'] })
})

t.test('the address of a page leads to the server above it, and to usual places below the root', async (t) => {
  const page = 'http://ann:secret@nas/apps/seerr/discover?sort=1#top'
  t.equal((await find(page, 'http://nas/apps/seerr')).found, 'http://nas/apps/seerr')
  t.equal((await find('http://nas', 'http://nas/tautulli', { below: ['tautulli'] })).found, 'http://nas/tautulli')
})

t.test('a text that cannot be an address is refused, and a failure of the server is thrown', async (t) => {
  for (const [entered, wire] of [
    ['  ', 'missing_server'],
    ['ftp://nas', 'invalid_server'],
    ['http://', 'invalid_server'],
  ] as const) {
    const { found, looked } = await find(entered, 'http://nas')
    t.match([(found as PlayheadError).wire, looked], [wire, []], entered)
  }
  const down = new PlayheadError('PLH_UPSTREAM', 'It is down.', { details: { reason: 'refused' } })
  t.same(await find('http://nas/page', down), { found: down, looked: ['http://nas/page'] })
})

t.test('something that is not the product is named as such, after the usual places were looked at', async (t) => {
  const acme = { product: 'Acme', below: ['acme'] }
  t.equal((await find('http://nas', 'http://nas/acme', acme)).found, 'http://nas/acme')
  const { found, looked } = await find('http://nas', 'http://elsewhere', acme)
  t.match(found, { code: 'PLH_INVALID', wire: 'wrong_product', message: /but it is not Acme/ })
  t.same(looked, ['http://nas', 'http://nas/acme'])
  const page = new PlayheadError('PLH_UPSTREAM_INVALID', 'A page of a proxy.')
  t.match((await find('http://nas', page, acme)).found, { wire: 'wrong_product' })
  t.equal((await find('http://nas', page)).found, page)
  const other = new PlayheadError('PLH_INVALID', 'Emby answers there.', { wire: 'wrong_product' })
  t.equal((await find('http://nas', other, acme)).found, other, 'what names itself is not hidden')
  const down = new PlayheadError('PLH_UPSTREAM', 'It is down.', { details: { reason: 'refused' } })
  t.equal((await find('http://nas', down, acme)).found, down)
})

t.test('refusals are the errors of a route, and other failures are what they are', async (t) => {
  const refusals = {
    PLH_AUTH_FAILED: { wire: 'invalid_key', message: 'Acme does not accept the key.' },
    PLH_FORBIDDEN: { wire: 'missing_permission' },
    PLH_NOT_FOUND: { code: 'PLH_INVALID', wire: 'too_old', message: 'This Acme is too old.' },
  } as const
  const after = (error: Error) => refusedAs(refusals, () => Promise.reject(error)).catch((failure: unknown) => failure)
  const secret = { details: { status: 401, body: 'key=abc' } }
  for (const [error, expected] of [
    [
      new PlayheadError('PLH_AUTH_FAILED', '401', secret),
      { code: 'PLH_AUTH_FAILED', wire: 'invalid_key', message: /accept/ },
    ],
    [
      new PlayheadError('PLH_FORBIDDEN', 'It needs a scope.'),
      { wire: 'missing_permission', message: 'It needs a scope.' },
    ],
    [new PlayheadError('PLH_NOT_FOUND', '404'), { code: 'PLH_INVALID', wire: 'too_old' }],
  ] as const) {
    const failure = await after(error)
    t.match(failure, expected)
    t.equal((failure as PlayheadError).details, undefined)
  }
  const limited = new PlayheadError('PLH_RATE_LIMITED', '429', { retryAfterMs: 9_000 })
  t.equal(await after(limited), limited)
  const bug = new TypeError('a bug')
  t.equal(await after(bug), bug)
  t.equal(await refusedAs(refusals, async () => 7), 7)
})
