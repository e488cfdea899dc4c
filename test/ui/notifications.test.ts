// slow: a browser, step by step
// Notifications: a target is created from the schema of its notifier and tested; a rule is created, edited and turned off; a
// failed message shows its reason and is sent again.
import { startServer } from '@playhead/sdk/testing'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { NO_WORDS } from './opened.ts'
import { fitsEveryWidth, isFit, isFitWindow } from './looks.ts'

const TOPIC = 'a-secret-topic-of-mine'
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())

t.test('without a channel, the page names the next step', async (t) => {
  const page = await ui.open('/notifications')
  await page.getByText('No channel yet').waitFor()
  t.equal(await page.getByText('No messages yet').count(), 0)
  await isFit(t, page, 'the empty page')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a list with a minimum length starts empty, and is marked as required', async (t) => {
  const page = await ui.open('/notifications')
  await page.getByRole('button', { name: 'Add a channel' }).click()
  await page.getByRole('menuitem', { name: 'Email' }).click()
  const dialog = page.getByRole('dialog')
  const to = dialog.locator('#root_to')
  await to.waitFor()
  t.notMatch(await dialog.innerText(), NO_WORDS)
  await dialog.locator('#root_name').fill('My mail')
  await dialog.locator('#root_server').fill('smtp.example.org:465')
  await dialog.locator('#root_from').fill('playhead@example.org')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This field is required.').first().waitFor()
  t.same(page.recorded.failed, [], 'nothing was sent')
  await to.fill('me@example.org')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const [target] = (await ui.service.json('/api/notifications/targets')).body.targets
  t.match(target, { name: 'My mail', settings: { to: ['me@example.org'] } })
  // The test message cannot be sent, and the page says so; the channel stays.
  await page.getByText('Could not send the test message.').waitFor()
  const [rule] = (await ui.service.json('/api/notifications/rules')).body.rules
  t.match(rule, { name: 'Failures', targets: [target.id] })
  await ui.service.json(`/api/notifications/rules/${rule.id}`, { method: 'DELETE' })
  await ui.service.json(`/api/notifications/targets/${target.id}`, { method: 'DELETE' })
  t.same(page.recorded.errors, [])
})

t.test('Discord on failure takes four clicks and one field from Home, and a first message arrives', async (t) => {
  await using server = await startServer(() => ({ status: 204, json: {} }))
  const page = await ui.open('/')
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const dialog = page.getByRole('dialog')
  const overview = async () => (await ui.service.json('/api/notifications')).body
  await click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }))
  await click(page.getByRole('link', { name: 'Add a channel' }))
  await dialog.getByRole('button', { name: 'Discord' }).waitFor()
  await isFitWindow(t, page, 'the kinds of channels')
  await page.setViewportSize({ width: 1280, height: 800 })
  await click(dialog.getByRole('button', { name: 'Discord' }))
  t.equal(await dialog.locator('#root_name').inputValue(), 'Discord')
  await dialog.getByLabel('URL').fill(`${server.url}/api/webhooks/1/a-long-secret`)
  await click(dialog.getByRole('button', { name: 'Save' }))
  t.equal(clicks, 4)
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Discord accepted the test message.').waitFor()
  t.equal(server.requests.length, 1)
  const { targets, rules } = await overview()
  t.match(rules, [{ name: 'Failures', enabled: true, targets: [targets[0].id] }])
  t.ok(rules[0].events.includes('run_failed'))

  // A second channel joins the rule; without the tick it does not.
  for (const [name, isTicked] of [
    ['Second', true],
    ['Third', false],
  ] as const) {
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await page.getByRole('menuitem', { name: 'Discord' }).click()
    await dialog.locator('#root_name').fill(name)
    await dialog.getByLabel('URL').fill(`${server.url}/api/webhooks/1/a-long-secret`)
    if (!isTicked) await dialog.getByRole('checkbox', { name: 'Send failures here' }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Send test to ${name}` }).waitFor()
  }
  const after = await overview()
  const idOf = (name: string) => after.targets.find((one: { name: string }) => one.name === name).id
  t.same(after.rules.length, 1)
  t.same(after.rules[0].targets, ['Discord', 'Second'].map(idOf))
  await ui.service.json(`/api/notifications/rules/${after.rules[0].id}`, { method: 'DELETE' })
  for (const { id } of after.targets) await ui.service.json(`/api/notifications/targets/${id}`, { method: 'DELETE' })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a channel and a rule are created, tested, changed and removed; a failed message is sent again', async (t) => {
  let status = 200
  await using server = await startServer(() => ({ status, json: {} }))
  const page = await ui.open('/notifications', { colorScheme: 'light' })
  const dialog = page.getByRole('dialog')
  const closed = () => dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Add a channel' }).click()
  await page.getByRole('menuitem', { name: 'ntfy' }).click()
  await dialog.getByLabel('Server').waitFor()
  await isFitWindow(t, page, 'a new channel')
  await dialog.getByRole('checkbox', { name: 'Send failures here' }).uncheck()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This field is required.').first().waitFor()
  await dialog.getByLabel('Name').fill('My phone')
  await dialog.getByLabel('Server').fill(server.url)
  await dialog.getByLabel('Topic').fill('not a topic!')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').first().waitFor()
  t.same(page.recorded.failed.splice(0), ['422 POST /api/notifications/targets'], 'the service refuses the topic')
  await dialog.getByLabel('Topic').fill(TOPIC)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed()

  await page.getByText('ntfy accepted the test message.').waitFor()
  await page.getByRole('button', { name: 'Send test to My phone' }).click()
  await page.getByRole('region', { name: 'Channels' }).getByText('ntfy accepted the test message.').waitFor()
  t.match(server.requests.at(-1)?.json(), { topic: TOPIC })

  // The secret is shown as a mask, and kept when another field is edited.
  await page.getByRole('button', { name: 'Edit My phone' }).click()
  t.not(await dialog.getByLabel('Topic').inputValue(), TOPIC)
  await dialog.getByLabel('Name').fill('Phone')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed()
  status = 401
  await page.getByRole('button', { name: 'Send test to Phone' }).click()
  await page.getByText('Could not send the test message. Reason: The service rejected the sign-in').waitFor()
  t.match(server.requests.at(-1)?.json(), { topic: TOPIC }, 'the mask kept the topic')

  status = 200
  const failed = page.getByRole('row').filter({ hasText: 'Phone' }).filter({ hasText: 'Failed' })
  await failed.getByRole('button', { name: /^Send again/ }).click()
  await failed.waitFor({ state: 'detached' })
  t.equal(server.requests.length, 4)
  await page
    .getByRole('button', { name: /^Open / })
    .first()
    .click()
  await dialog.getByText('Phone', { exact: true }).waitFor()
  await isFitWindow(t, page, 'a message')
  await page.keyboard.press('Escape')
  await closed()

  await page.getByRole('button', { name: 'Add a rule' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByLabel('Name').fill('Problems')
  t.equal(await dialog.getByLabel('Phone').isChecked(), true, 'the only channel is chosen')
  await dialog.getByRole('switch', { name: 'Quiet hours' }).click()
  await dialog.getByLabel('Until').fill('22:00')
  await isFitWindow(t, page, 'a rule')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('The quiet hours would never end.').waitFor()
  t.same(page.recorded.failed.splice(0), ['422 POST /api/notifications/rules'])
  await dialog.getByLabel('Until').fill('06:30')
  await dialog.getByText('Sat', { exact: true }).click()
  await dialog.getByLabel('Group messages for (minutes)').fill('5')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed()
  await page.getByText('grouped for 5 minutes · quiet from 22:00 to 06:30').waitFor()
  const rules = async () => (await ui.service.json('/api/notifications/rules')).body.rules
  t.match(await rules(), [{ name: 'Problems', group_minutes: 5, quiet: { enabled: true, days: [6] } }])

  await page.getByRole('button', { name: 'Delete Phone' }).click()
  await page.getByText('These rules use Phone: Problems.').waitFor()
  await settled(page)
  await isFit(t, page, 'the page')
  await page.getByRole('switch', { name: 'Rule Problems is on' }).press('Space')
  await page.getByRole('switch', { name: 'Rule Problems is on', checked: false, disabled: false }).waitFor()
  t.match(await rules(), [{ name: 'Problems', enabled: false, group_minutes: 5 }])

  await page.getByRole('button', { name: 'Delete Problems' }).click()
  await dialog.getByRole('button', { name: 'Delete Problems' }).click()
  await page.getByRole('switch').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete Phone' }).click()
  await dialog.getByRole('button', { name: 'Delete Phone' }).click()
  await page.getByText('No channel yet').waitFor()
  t.equal(await page.getByRole('row').filter({ hasText: 'Sent' }).count(), 6, 'the log stays')
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'the log alone')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})
