// slow: a browser, step by step
// The setup guide with the keyboard only: from a new account to two synced services.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { launchBrowser } from './browser.ts'
import { playedBySam, startFirstRun } from './first-run.ts'
import { settled, startUi } from './harness.ts'
import { tabTo } from './keyboard.ts'

const browser = await launchBrowser()
atEndOfFile(() => browser.close())

t.test('from nothing connected to two synced services', async (t) => {
  const { jellyfin, emby } = await startFirstRun(t)
  await using ui = await startUi({ browser })
  const page = await ui.open('/')
  await settled(page)
  const press = (...keys: readonly string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())

  await tabTo(page, page.getByRole('link', { name: 'Get started', exact: true }))
  await press('Enter')
  await page.getByRole('heading', { name: 'Connect two services' }).waitFor()
  for (const [name, server] of [
    ['Jellyfin', jellyfin],
    ['Emby', emby],
  ] as const) {
    const connect = page.getByRole('button', { name: `Connect ${name}` })
    await tabTo(page, connect)
    await press('Enter')
    const dialog = page.getByRole('dialog', { name: `Connect ${name}` })
    await tabTo(page, dialog.getByLabel('Server'))
    await page.keyboard.type(server.url)
    await tabTo(page, dialog.getByLabel('Username'))
    await page.keyboard.type('sam')
    await tabTo(page, dialog.getByLabel(/^Password/))
    await page.keyboard.type('secret')
    await press('Enter')
    await page.getByRole('listitem', { name }).getByText('Connected', { exact: true }).waitFor()
  }
  await tabTo(page, page.getByRole('button', { name: 'Continue' }))
  await press('Enter')
  const remove = page.getByRole('switch', { name: 'Also sync removals' })
  await tabTo(page, remove)
  await press('Space')
  t.equal(await remove.isChecked(), true)
  await tabTo(page, page.getByRole('button', { name: 'Preview plan' }))
  await press('Enter')
  await tabTo(page, page.getByRole('button', { name: /^Run \d+ changes/ }))
  await press('Enter')
  await page.getByText('Your services are synced').waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Finish' }))
  await press('Enter')

  await page
    .getByRole('status')
    .filter({ hasText: /^In sync$/ })
    .waitFor()
  const { body: schedule } = await ui.service.json('/api/scheduling')
  t.match(schedule, { enabled: true, mode: 'every_n_hours', every_n_hours: 6 })
  t.equal(playedBySam(emby), playedBySam(jellyfin))
  const {
    body: [pair],
  } = await ui.service.json('/api/pairs')
  t.match(pair, { mode: 'two_way', features: { history: { enabled: true, remove: true } } })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})
