// The stored backups with their actions: restore, and in a menu download, check, delete.
import { ActionIcon, Badge, Button, Group, Menu, Paper, Text } from '@mantine/core'
import { IconCheck, IconDots, IconDownload, IconRestore, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { at } from '../../api/base.ts'
import { useChange } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { bytesText } from '../../parts/values/bytes.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { exactTime, TimeText } from '../../parts/values/time-text.tsx'
import { backups as texts } from '../../texts/en/backups.ts'
import { say } from '../../texts/say.ts'
import { RestoreDialog } from './restore-dialog.tsx'
import { Restarting } from '../../parts/page/restarting.tsx'
import type { Backup } from './data.ts'

const nameOf = (names: Readonly<Record<string, string>>, key: string | undefined) =>
  key === undefined ? '' : (names[key] ?? key)

export function BackupList({ backups }: { readonly backups: readonly Backup[] }) {
  const [opened, setOpened] = useState<{ readonly backup: Backup; readonly isRestore: boolean } | null>(null)
  const [isGone, setGone] = useState(false)
  if (isGone) return <Restarting text={texts.restore.restarting} />
  return (
    <>
      <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
        {backups.map((backup) => (
          <Row
            key={backup.path}
            backup={backup}
            onCheck={() => setOpened({ backup, isRestore: false })}
            onRestore={() => setOpened({ backup, isRestore: true })}
          />
        ))}
      </Paper>
      {opened === null ? null : (
        <RestoreDialog {...opened} onClose={() => setOpened(null)} onRestarting={() => setGone(true)} />
      )}
    </>
  )
}

function Row({
  backup,
  onCheck,
  onRestore,
}: {
  readonly backup: Backup
  readonly onCheck: () => void
  readonly onRestore: () => void
}) {
  const { path, size, mtime, label, scope, trigger, valid, encrypted, pinned, external_key_required: noKey } = backup
  const made = exactTime(mtime * 1_000)
  const remove = useChange('POST /api/backups/delete', {
    refresh: [['backups']],
    onDone: () => notifyDone(texts.remove.done),
  })

  async function askRemove() {
    const { title, text } = texts.remove
    if (await confirm({ title, text, action: texts.actions.remove, touches: [path], destructive: true }))
      remove.mutate({ body: { path } }, { onError: (error) => notifyFailure(error) })
  }

  return (
    <Group component="li" justify="space-between" py="sm" className="line" wrap="nowrap">
      <div className="grow">
        <Group gap="xs">
          <Text fw={600}>{label === undefined || label === '' ? nameOf(texts.scopes, scope) || path : label}</Text>
          {encrypted ? <Badge variant="default">{texts.facts.encrypted}</Badge> : null}
          {pinned === true ? <Badge variant="default">{texts.facts.pinned}</Badge> : null}
          {noKey === true ? <Badge variant="default">{texts.facts.noKey}</Badge> : null}
          {valid ? null : <StatusBadge tone="bad" label={texts.facts.damaged} />}
        </Group>
        <Text size="sm" c="dimmed">
          <TimeText at={mtime * 1_000} /> · {bytesText(size)}
          {trigger === undefined ? null : <> · {nameOf(texts.triggers, trigger)}</>}
        </Text>
      </div>
      <Button
        variant="default"
        leftSection={<IconRestore size={16} aria-hidden />}
        aria-label={say(texts.actions.restoreOf, { at: made })}
        onClick={onRestore}
      >
        {texts.actions.restore}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={say(texts.actions.menu, { at: made })}
            loading={remove.isPending}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component="a"
            href={at(`/api/backups/download?path=${encodeURIComponent(path)}`)}
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {texts.actions.download}
          </Menu.Item>
          <Menu.Item leftSection={<IconCheck size={16} aria-hidden />} onClick={onCheck}>
            {texts.actions.check}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => void askRemove()}
          >
            {texts.actions.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
