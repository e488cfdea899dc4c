// slow: a browser, step by step
// Backups: created with a passphrase, checked, uploaded, scheduled and deleted.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth, isFitWindow } from './looks.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())

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
  await page.getByRole('button', { name: /^Restore the backup of / }).click()
  const wizard = page.getByRole('dialog', { name: /^Restore/ })
  await wizard.getByRole('button', { name: 'Check', exact: true }).click()
  await wizard.getByText('Enter the passphrase of the backup.', { exact: false }).waitFor()
  t.ok(await wizard.getByRole('button', { name: 'Continue' }).isDisabled(), 'nothing is restored unchecked')
  await wizard.getByLabel('Passphrase of the backup').first().fill('correct horse')
  await wizard.getByRole('button', { name: 'Check', exact: true }).click()
  await wizard.getByText('This backup is complete and can be restored here.').waitFor()
  await isFitWindow(t, page, 'the restore')
  await wizard.getByRole('button', { name: 'Continue' }).click()
  t.ok(await wizard.getByRole('button', { name: 'Restore and restart' }).isDisabled())
  await wizard.getByRole('button', { name: 'Back' }).click()
  await page.keyboard.press('Escape')
  const broken = { name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') }
  await page.getByLabel('Backup file').setInputFiles(broken)
  await page.getByRole('alert').first().waitFor()
  t.equal(await page.getByRole('button', { name: /^Actions for the backup/ }).count(), 1, 'nothing came of it')
})

t.test('the nightly backup is turned on', async (t) => {
  // Settings that the form does not show are kept.
  const hidden = { scope: 'full', days: [1, 3], label_template: 'mine', retention_days: 90, include_reports: true }
  await ui.service.json('/api/backups/schedule', { json: { ...hidden, catch_up: false } })
  const page = await ui.open('/backups', { colorScheme: 'dark' })
  await page.getByRole('switch', { name: 'Back up every night' }).check({ force: true })
  await page.getByLabel('Backups to keep').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Schedule saved.').waitFor()
  const { body } = await ui.service.json('/api/backups/schedule')
  t.match(body.schedule, { active: true, at: '03:00', max_backups: 5, ...hidden, catch_up: false })
  t.same(await seriousViolations(page), [])
  t.same(page.recorded.errors, [])
})

t.test('a backup with a passphrase is restored: the service restarts with it, and the page comes back', async (t) => {
  const page = await ui.open('/backups')
  await page
    .getByRole('button', { name: /^Restore the backup of / })
    .first()
    .click()
  const wizard = page.getByRole('dialog', { name: /^Restore/ })
  await wizard.getByLabel('Passphrase of the backup').first().fill('correct horse')
  await wizard.getByRole('button', { name: 'Check', exact: true }).click()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByLabel('Type restore to confirm').fill('restore')
  await wizard.getByRole('button', { name: 'Restore and restart' }).click()
  await page.getByText('Playhead is restarting with the backup.', { exact: false }).waitFor()
  t.equal(await ui.service.ended, 75, 'its supervisor starts it again')
})
