// The API reference: every operation is found, explained and called by the signed-in person.
import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import type { Page } from 'playwright-core'
import { seriousViolations, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui

async function openOperation(page: Page, name: string) {
  await page.getByRole('link', { name, exact: true }).click()
  const id = name.replaceAll(/[^A-Za-z0-9]+/g, '-')
  const operation = page.locator(`details[id="${id}"]`)
  await operation.getByRole('button', { name: 'Send' }).waitFor()
  const status = operation.getByRole('status')
  const answer = operation.getByLabel('Answer', { exact: true })
  const send = () => operation.getByRole('button', { name: 'Send' }).click()
  return { operation, status, answer, send }
}

const isClean = (t: Test, { recorded }: Awaited<ReturnType<typeof ui.open>>) => t.same(recorded.errors, [])

t.test('every operation of the description is listed, and found by a word', async (t) => {
  const { paths } = (await service.json('/openapi.json')).body
  const count = Object.values(paths as Record<string, object>).reduce((sum, one) => sum + Object.keys(one).length, 0)
  for (const path of ['/docs', '/redoc']) {
    const page = await ui.open(path)
    await page
      .locator('details')
      .nth(count - 1)
      .waitFor()
    t.equal(await page.locator('details').count(), count)
    await page.getByLabel('Filter').fill('GET history')
    await page.getByRole('link', { name: 'GET /api/history', exact: true }).waitFor()
    t.ok((await page.locator('details').count()) < 20)
    await page.getByLabel('Filter').fill('no such operation')
    await page.getByText('Nothing fits.').waitFor()
    isClean(t, page)
    await page.context().close()
  }
})

t.test('an operation lists its input and responses, with their schemas', async (t) => {
  const page = await ui.open('/docs#GET-api-pairs')
  const operation = page.locator('details[open]')
  await operation.getByText('GET', { exact: true }).waitFor()
  t.match(await operation.getByLabel(/^Answer 200/).textContent(), /source: string/)
  t.notMatch(await operation.textContent(), /\$ref/)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.same(await seriousViolations(page), [], colorScheme)
  }
  await fitsEveryWidth(t, page, 'an operation')
  isClean(t, page)
})

t.test('operations can be called: address values, bodies, refusals, files, and streams that are stopped', async (t) => {
  const page = await ui.open('/docs')
  const runs = await openOperation(page, 'GET /api/runs')
  await runs.operation.getByLabel('limit', { exact: true }).fill('1')
  await runs.send()
  await runs.status.getByText(/^200 OK, \d+ ms$/).waitFor()
  t.match(JSON.parse((await runs.answer.textContent()) ?? ''), { runs: [], limit: 1 })
  await runs.operation.getByLabel('limit', { exact: true }).fill('many')
  await runs.send()
  await runs.status.getByText(/^422 /).waitFor()
  t.match(await runs.answer.textContent(), /limit/)

  const one = await openOperation(page, 'GET /api/runs/{run_id}')
  await one.operation.getByLabel('run_id', { exact: true }).fill('a/b c')
  await one.send()
  await one.status.getByText(/^404 /).waitFor()
  t.ok(page.recorded.requests.some((request) => request.startsWith('GET /api/runs/a%2Fb%20c')))

  const add = await openOperation(page, 'POST /api/tokens')
  const body = add.operation.getByLabel('Body', { exact: true })
  t.equal(typeof JSON.parse(await body.inputValue()).name, 'string', 'the body begins with an example')
  await body.fill('{ "name": "From the reference", "scope": "read" }')
  await add.send()
  await add.status.getByText(/^20\d /).waitFor()
  t.match((await service.json('/api/tokens')).body.tokens, [{ name: 'From the reference' }])
  await body.fill('{ "name": ')
  await add.send()
  await add.status.getByText(/^4\d\d /).waitFor()

  const stream = await openOperation(page, 'GET /api/logs/stream')
  await stream.send()
  await stream.status.getByText(/^200 /).waitFor()
  await stream.operation.getByRole('button', { name: 'Stop' }).click()
  await stream.status.getByText(/\(stopped\)$/).waitFor()

  const bundle = await openOperation(page, 'POST /api/maintenance/support-bundle')
  await bundle.send()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    bundle.status.getByRole('link', { name: /^Save / }).click(),
  ])
  t.ok((await readFile(await file.path())).length > 100)
  isClean(t, page)
})
