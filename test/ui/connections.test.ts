// slow: a browser, step by step
// Signing in to each kind of service, the details of a connection, and that a used connection is not removed.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startMdblist } from '../upstreams/mdblist.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { overflow, seriousViolations, settled, startUi } from './harness.ts'
import { connect, connected, shownCode } from './sign-in.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const [jellyfin, plex, trakt, mdblist] = await Promise.all([
  startJellyfin({ movies: 10, shows: 1 }),
  startPlex({ movies: 10, shows: 1 }),
  startTrakt({ movies: 10, shows: 1 }),
  startMdblist({ movies: 10, shows: 1 }),
])
atEndOfFile(() => Promise.all([jellyfin.close(), plex.close(), trakt.close(), mdblist.close()]))
await expectOk(client, '/api/config', {
  mediaA: { cloud_url: plex.cloud.url, server_url: plex.server.url },
  trackA: { api_url: trakt.url, oauth_url: trakt.url },
  listA: { api_url: mdblist.url },
})

t.test('wrong names and passwords are explained, then the card shows the account', async (t) => {
  const page = await connect(ui, 'Jellyfin')
  await page.getByLabel('Server').fill(jellyfin.url)
  await page.getByLabel('Username').fill('sam')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'The sign-in failed' }).waitFor()
  t.same(await seriousViolations(page), [])
  page.recorded.failed.splice(0)
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await connected(page, 'Jellyfin')

  await page.getByRole('article', { name: 'Jellyfin' }).getByText('as sam').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a PIN is shown at once, and signs in when it is entered on another device', async (t) => {
  const page = await connect(ui, 'Plex')
  plex.actions.approvePin(await shownCode(page))
  await connected(page, 'Plex')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an expired code can be replaced; the next one signs in', async (t) => {
  const page = await connect(ui, 'Trakt')
  await page.getByRole('button', { name: 'Get a code' }).click()
  await page.getByText('Enter “Client ID”.').waitFor()
  await page.getByLabel('Client ID').fill(trakt.clientId)
  await page.getByLabel('Client secret').fill(trakt.clientSecret)
  await page.getByRole('button', { name: 'Get a code' }).click()
  const first = await shownCode(page)
  await page.getByRole('timer').waitFor()
  t.same(await seriousViolations(page), [])
  trakt.advance(3_600_000)
  await page.getByText('The code has expired').waitFor()
  await page.getByRole('button', { name: 'Get a new code' }).click()
  const second = await shownCode(page)
  t.not(second, first)
  trakt.approve(second)
  await connected(page, 'Trakt')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an API key signs in', async (t) => {
  const page = await connect(ui, 'MDBList')
  await page.getByText('API key', { exact: true }).first().click()
  await page.locator('input[name="api_key"]').fill(mdblist.user.apiKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await connected(page, 'MDBList')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a used profile is not disconnected, and its usages are listed', async (t) => {
  const { id } = await expectOk(client, '/api/pairs', {
    source: 'TRACKA',
    target: 'LISTA',
    mode: 'one_way',
    enabled: true,
    name: 'My lists',
    features: { watchlist: { enabled: true, add: true, remove: true } },
  })
  const page = await ui.open('/connections/TRACKA')
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  const refusal = page.getByRole('dialog', { name: 'Trakt is in use' })
  t.match(await refusal.getByRole('link').first().getAttribute('href'), `/pairs/${id}`)
  t.equal(page.recorded.failed.splice(0).length, 1)
  t.same(page.recorded.errors, [])
})

t.test('a synced playlist is one pair on the card and in the list, like any other', async (t) => {
  await expectOk(client, '/api/pairs', {
    source: 'MEDIAB',
    target: 'TRACKA',
    mode: 'one_way',
    enabled: true,
    name: 'Plays',
    features: { history: { enabled: true, add: true, remove: false } },
  })
  const { id } = jellyfin.actions.createPlaylist('sam', 'Friday evening', [jellyfin.items('Movie')[0]!.id])
  const ends: string[] = []
  for (const [provider, more] of [
    ['MEDIAB', { playlist_id: id }],
    ['MEDIAA', { create: true, create_name: 'Friday evening' }],
  ] as const)
    ends.push(
      (await expectOk(client, '/api/playlists/endpoints', { provider, name: 'Friday evening', ...more })).endpoint.id,
    )
  await expectOk(client, '/api/playlists/mappings', {
    name: 'Friday evening',
    source_endpoint: ends[0],
    target_endpoints: ends.slice(1),
    ruleset_id: '',
    membership: 'managed_only',
    order: 'ignore',
  })
  const page = await ui.open('/connections')
  for (const [name, text] of [
    ['Jellyfin', 'Used by 2 pairs'],
    ['Plex', 'Used by 1 pair'],
    ['MDBList', 'Used by 1 pair'],
  ] as const)
    await page.getByRole('article', { name }).getByText(text, { exact: true }).waitFor()
  await page.goto(`${ui.service.url}/connections/MEDIAB`)
  await page.getByRole('link', { name: 'Friday evening' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Friday evening' }).count(), 1)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the days of a service show how the runs found it', async (t) => {
  await runToEnd(client)
  const page = await ui.open('/connections/TRACKA')
  const days = page.getByRole('figure', { name: 'Last 30 days' })
  await days.getByText('100% of 1 check succeeded', { exact: true }).waitFor()

  trakt.faults.add({ kind: 'status', status: 500 })
  t.teardown(() => trakt.faults.clear())
  await client.json('/api/connections?fresh=1')
  await runToEnd(client)
  await page.reload()
  await days.getByText('50% of 2 checks succeeded', { exact: true }).waitFor()
  await days.getByText(/: 1 of 2 checks failed$/).waitFor({ state: 'attached' })
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  trakt.faults.clear()
  await client.json('/api/connections?fresh=1')
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`the pages are readable in the ${colorScheme} scheme and fit every width`, async (t) => {
    const page = await ui.open('/connections', { colorScheme })
    for (const path of ['/connections', '/connections/MEDIAB']) {
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(ui.service.url + path)
        await settled(page)
        await page.getByRole('button', { name: 'Check now' }).waitFor()
        t.equal(await overflow(page), 0, `${path} at ${width}`)
      }
      t.same(await seriousViolations(page), [], path)
    }
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })
}
