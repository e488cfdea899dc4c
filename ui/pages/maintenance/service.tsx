// The whole service: statistics, restart and reset.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { bytesText } from '../../parts/values/bytes.ts'
import { maintenance } from '../../texts/en/maintenance.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { Section } from './section.tsx'
import { StatisticsDialog } from './statistics-dialog.tsx'

const { service: texts, statistics, disk } = maintenance
const list = new Intl.ListFormat(locale, { type: 'conjunction' })
const BUSY = 409

export function Service({ onRestart }: { readonly onRestart: (text: string) => void }) {
  const [isBusy, setBusy] = useState(false)
  const [isResetting, setResetting] = useState(false)

  /** Not around a question: a disabled button would not get the focus back. Undefined if it failed. */
  async function working<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    setBusy(true)
    try {
      return await work()
    } catch (error) {
      notifyFailure(error)
      return undefined
    } finally {
      setBusy(false)
    }
  }

  async function restart() {
    const { restartAsk, restartText, restartForce, restart: action } = texts
    if (!(await confirm({ title: restartAsk, text: restartText, action, destructive: false }))) return
    await working(async () => {
      await api('POST /api/maintenance/restart', { body: {} }).catch(async (error: unknown) => {
        if (!isApiError(error, BUSY)) throw error
        if (!(await confirm({ title: restartAsk, text: restartForce, action }))) throw error
        await api('POST /api/maintenance/restart', { body: { force: true } })
      })
      onRestart(texts.restarting)
    })
  }

  async function startOver() {
    const would = await working(() => api('POST /api/maintenance/reset-all-default', { body: { dry_run: true } }))
    if (would === undefined) return
    const kept = would.kept.map(({ group }) => (disk.groups as Readonly<Record<string, string>>)[group] ?? group)
    const text = say(texts.resetAsk, {
      files: would.removed_files.length,
      size: bytesText(would.removed_bytes),
      kept: list.format(kept),
    })
    if (!(await confirm({ title: texts.resetTitle, text, action: texts.resetGo, typed: texts.resetWord }))) return
    await working(async () => {
      await api('POST /api/maintenance/reset-all-default', { body: { confirm: true, restart: true } })
      onRestart(texts.restarting)
    })
  }

  const rows = [
    { title: statistics.title, text: statistics.text, action: statistics.action, onClick: () => setResetting(true) },
    { title: texts.restart, text: texts.restartText, action: texts.restart, onClick: () => void restart() },
    { title: texts.resetGo, text: texts.resetText, action: texts.reset, onClick: () => void startOver(), color: 'red' },
  ]
  return (
    <Section title={texts.title}>
      <Stack gap={0}>
        {rows.map(({ title, text, action, onClick, color }) => (
          <Group key={title} justify="space-between" wrap="nowrap" py="xs" className="line">
            <div className="grow">
              <Text size="sm" fw={600}>
                {title}
              </Text>
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            </div>
            <Button
              size="xs"
              variant={color === undefined ? 'default' : 'subtle'}
              color={color}
              disabled={isBusy}
              onClick={onClick}
            >
              {action}
            </Button>
          </Group>
        ))}
      </Stack>
      {isResetting ? <StatisticsDialog onClose={() => setResetting(false)} /> : null}
    </Section>
  )
}
