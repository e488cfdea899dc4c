// The server at an address that a person entered: with and without a scheme, from a page, and below the root.
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import { findServer } from '@playhead/sdk/provider'

/** Finds a product that is at one place; notes where it was looked for. */
async function find(entered: string, place: string | PlayheadError, below?: readonly string[]) {
  const looked: string[] = []
  const found = await findServer(
    entered,
    async (address) => {
      looked.push(address)
      if (typeof place !== 'string') throw place
      if (address !== place) throw new PlayheadError('PLH_NOT_FOUND', 'Nothing is there.')
    },
    below,
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
  t.equal((await find('http://nas', 'http://nas/tautulli', ['tautulli'])).found, 'http://nas/tautulli')
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
