// Backups: made with a passphrase, checked, uploaded again, scheduled and deleted.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const ui = await startUi()
t.teardown(() => ui[Symbol.asyncDispose]())

t.test('a backup is made, checked, deleted and uploaded again', async (t) => {
  const page = await ui.open('/backups', { colorScheme: 'light' })
  await page.getByText('No backup yet').waitFor()
  t.same(await seriousViolations(page), [])

  await page.getByRole('button', { name: 'Back up now' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Back up now' })
  await dialog.getByLabel('Name').fill('Before the move')
  await dialog.getByLabel('Passphrase').first().fill('correct horse')
  t.same(await seriousViolations(page), [])
  await dialog.getByRole('button', { name: 'Back up' }).click()
  await page.getByText('Before-the-move').waitFor()
  await page.getByText('With a passphrase').waitFor()
  await settled(page)
  await fitsEveryWidth(t, page, 'the backups')

  const menu = page.getByRole('button', { name: /^Actions for the backup/ })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Check' }).click()
  const check = page.getByRole('dialog', { name: /^Check / })
  await check.getByLabel('Passphrase of the backup').first().fill('wrong horse')
  await check.getByRole('button', { name: 'Check' }).click()
  await check.getByText('This backup cannot be restored here.').waitFor()
  await check.getByLabel('Passphrase of the backup').first().fill('correct horse')
  await check.getByRole('button', { name: 'Check' }).click()
  await check.getByText('This backup is complete and can be restored here.').waitFor()
  t.same(await seriousViolations(page), [])
  await page.keyboard.press('Escape')

  await menu.click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download' }).click(),
  ])
  const backup = {
    name: file.suggestedFilename(),
    mimeType: 'application/zip',
    buffer: await readFile(await file.path()),
  }
  await menu.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No backup yet').waitFor()

  await page.getByLabel('Backup file').setInputFiles(backup)
  await page.getByText('With a passphrase').waitFor()
  const broken = { name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') }
  await page.getByLabel('Backup file').setInputFiles(broken)
  await page.getByRole('alert').first().waitFor()
  t.equal(await page.getByRole('button', { name: /^Actions for the backup/ }).count(), 1, 'nothing came of it')
})

t.test('the nightly backup is turned on', async (t) => {
  const page = await ui.open('/backups', { colorScheme: 'dark' })
  await page.getByRole('switch', { name: 'Back up every night' }).check({ force: true })
  await page.getByLabel('Backups to keep').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Schedule saved.').waitFor()
  const { body } = await ui.service.json('/api/backups/schedule')
  t.match(body.schedule, { active: true, at: '03:00', max_backups: 5 })
  t.same(await seriousViolations(page), [])
  t.same(page.recorded.errors, [])
})
