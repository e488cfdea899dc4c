// slow: a browser, step by step
// The schedule in the browser: settings, next runs in the local time zone, pause, jobs, rules and a manual run.
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const jellyfin = await startJellyfin({ movies: 4, shows: 0 })
atEndOfFile(() => jellyfin.close())
const emby = await startEmby({ movies: 4, shows: 0 })
atEndOfFile(() => emby.close())
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
const config = async () => (await service.json('/api/scheduling')).body
type Page = Awaited<ReturnType<typeof ui.open>>
const clean = (t: Test, page: Page) => t.same([page.recorded.errors, page.recorded.failed], [[], []])

async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

t.test('without a pair the page links to creating one', async (t) => {
  const page = await ui.open('/schedule')
  await page.getByRole('heading', { name: 'No pair to run' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Connect a service' }).getAttribute('href'), '/connections')
  clean(t, page)
})

t.test('a pair is created', async (t) => {
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await expectOk(service, '/api/pairs', {
    name: 'Living room',
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: { history: { enabled: true, add: true, remove: false } },
  })
  t.equal((await service.json('/api/pairs')).body.length, 1)
})

t.test('a daily time is saved, and the next runs are shown in the local time zone', async (t) => {
  const page = await ui.open('/schedule', { timezoneId: 'Asia/Tokyo' })
  await page.getByText('your time zone, Asia/Tokyo').waitFor()
  await page.getByText('No schedule').waitFor()
  await page.getByRole('radio', { name: 'Simple' }).click()
  await pick(page, 'How often', 'Once a day')
  await page.getByLabel('Time of day').fill('04:15')
  await page.getByRole('button', { name: 'Use my time zone (Asia/Tokyo)' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Schedule saved.').waitFor()

  t.match(await config(), { enabled: true, mode: 'daily_time', daily_time: '04:15', timezone: 'Asia/Tokyo' })
  await page.getByRole('region', { name: 'Next run', exact: true }).getByText('4:15 AM').waitFor()
  await page.getByRole('region', { name: 'Next run', exact: true }).getByText('On', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('region', { name: 'Next run', exact: true }).getByText('All pairs').waitFor()
  t.equal(await page.getByRole('region', { name: 'Later runs' }).count(), 0, 'one run is not shown twice')
  t.equal(await page.getByLabel('Time of day').inputValue(), '04:15')

  const elsewhere = await ui.open('/schedule', { timezoneId: 'Europe/London' })
  await elsewhere
    .getByRole('region', { name: 'Next run', exact: true })
    .getByText(/\b[78]:15 PM/)
    .first()
    .waitFor()
  clean(t, page)
})

t.test('the schedule is paused and resumed', async (t) => {
  const page = await ui.open('/schedule')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('No automatic runs until you resume.').waitFor()
  t.match((await service.json('/api/scheduling/status')).body, { paused: true })
  await page.reload()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  t.match((await service.json('/api/scheduling/status')).body, { paused: false })
  clean(t, page)
})

t.test('a job and a playback rule are created and saved', async (t) => {
  const page = await ui.open('/schedule')
  await page.getByRole('radio', { name: 'Advanced' }).click()
  await page.getByRole('button', { name: 'Add a job' }).click()
  const job = page.getByRole('group', { name: 'Job 1', exact: true })
  await job.getByLabel('Time of day').fill('06:45')
  await job.getByRole('checkbox', { name: 'Sun' }).press('Space')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByRole('group', { name: 'Rule 1', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Schedule saved.').waitFor()

  t.match((await config()).advanced, {
    enabled: true,
    jobs: [{ at: '06:45', days: [7], active: true }],
    event_rules: [{ event: 'stop', active: true }],
  })
  await page.getByRole('region', { name: 'Next run', exact: true }).getByText('Living room').first().waitFor()
  await page.reload()
  t.equal(await job.getByLabel('Time of day').inputValue(), '06:45')
  t.same(await seriousViolations(page), [])
  clean(t, page)
})

t.test('a run is started manually', async (t) => {
  const page = await ui.open('/schedule')
  await page.getByRole('button', { name: 'Run now', exact: true }).click()
  await page.getByText('Run started.').waitFor()
  t.equal((await service.json('/api/runs')).body.total, 1)
  clean(t, page)
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`the schedule is readable in the ${colorScheme} scheme and fits every screen`, async (t) => {
    const page = await ui.open('/schedule', { colorScheme })
    await settled(page)
    t.same(await seriousViolations(page), [])
    await fitsEveryWidth(t, page, '/schedule')
    clean(t, page)
  })
}
