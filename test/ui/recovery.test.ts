// What goes wrong on the way to a page: an address that there is not, files and answers that do not come, a device with a wrong clock.
import t from 'tap'
import { settled, startUi } from './harness.ts'

const AS_BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
const HOUR_MS = 3_600_000

const ui = await startUi()
t.teardown(() => ui[Symbol.asyncDispose]())
const { service } = ui
const heading = (page: Awaited<ReturnType<typeof ui.open>>, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

t.test('an unknown address is a page for people and JSON for programs', async (t) => {
  const page = await ui.open('/some/unknown')
  await heading(page, 'There is no such page').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], ['404 GET /some/unknown']])
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await heading(page, 'Home').waitFor()

  const answer = await service.call('/some/unknown', AS_BROWSER)
  t.equal(answer.status, 404)
  t.match(answer.headers.get('content-type'), 'text/html')
  for (const [path, init] of [['/some/unknown', {}], ['/api/unknown', AS_BROWSER], ['/assets/unknown.js', AS_BROWSER], ['/some/unknown', { ...AS_BROWSER, json: {} }]] as const) {
    const refused = await service.call(path, init)
    t.equal(refused.status, 404, path)
    t.match(refused.headers.get('content-type'), 'application/json', path)
  }
  const stranger = await fetch(`${service.url}/some/unknown`, { ...AS_BROWSER, redirect: 'manual' })
  t.match(stranger.headers.get('location'), '/login?next=')
})

t.test('what has been is never shown as to come, whatever the clock of the device says', async (t) => {
  for (const wrong of [-2 * HOUR_MS, 2 * HOUR_MS]) {
    const page = await ui.open('/settings/about')
    await settled(page)
    await page.clock.setFixedTime(Date.now() + wrong)
    await page.reload()
    await settled(page)
    const since = await page.locator('time').first().innerText()
    t.match(since, /^(?:now|\d+ (?:second|minute)s? ago)$/, since)
    await page.goto(`${service.url}/settings/sessions`)
    await settled(page)
    const ends = await page.locator('time').nth(1).innerText()
    t.match(ends, /^(?:in|next|tomorrow)/, ends)
  }
})
