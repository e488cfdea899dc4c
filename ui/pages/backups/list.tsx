// What there is, and what can be done with it.
import { ActionIcon, Alert, Badge, Button, Group, Menu, Modal, Paper, PasswordInput, Stack, Text } from '@mantine/core'
import { IconCheck, IconDots, IconDownload, IconRestore, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { at } from '../../api/base.ts'
import type { Answer } from '../../api/client.ts'
import { useChange } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { exactTime, TimeText } from '../../parts/values/time-text.tsx'
import { backups as texts } from '../../texts/en/backups.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { Restarting } from '../../parts/page/restarting.tsx'

type Backup = Answer<'GET /api/backups/list'>['backups'][number]

const MEGA = 1_000_000
const megabytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 })
const nameOf = (names: Readonly<Record<string, string>>, key: string | undefined) =>
  key === undefined ? '' : (names[key] ?? key)

export function BackupList({ backups }: { readonly backups: readonly Backup[] }) {
  const [checked, setChecked] = useState<Backup | null>(null)
  const [isGone, setGone] = useState(false)
  if (isGone) return <Restarting text={texts.restore.restarting} />
  return (
    <>
      <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
        {backups.map((backup) => (
          <Row key={backup.path} backup={backup} onCheck={() => setChecked(backup)} onRestore={() => setGone(true)} />
        ))}
      </Paper>
      {checked === null ? null : <Check backup={checked} onClose={() => setChecked(null)} />}
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
  const restore = useChange('POST /api/backups/restore', { onDone: onRestore })

  async function askRemove() {
    const { title, text } = texts.remove
    if (await confirm({ title, text, action: texts.actions.remove, touches: [path], destructive: true }))
      remove.mutate({ body: { path } }, { onError: (error) => notifyFailure(error) })
  }

  async function askRestore() {
    const { title, text, word, go } = texts.restore
    if (await confirm({ title, text: say(text, { at: made }), action: go, typed: word, destructive: true }))
      restore.mutate({ body: { path, restart: true } }, { onError: (error) => notifyFailure(error) })
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
          <TimeText at={mtime * 1_000} /> · {megabytes.format(size / MEGA)}
          {trigger === undefined ? null : <> · {nameOf(texts.triggers, trigger)}</>}
        </Text>
      </div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={say(texts.actions.menu, { at: made })}
            loading={remove.isPending || restore.isPending}
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
          <Menu.Item leftSection={<IconRestore size={16} aria-hidden />} onClick={() => void askRestore()}>
            {texts.actions.restore}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => void askRemove()}>
            {texts.actions.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

function Check({ backup, onClose }: { readonly backup: Backup; readonly onClose: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const check = useChange('POST /api/backups/validate')
  const found = check.data?.validation
  return (
    <Modal opened onClose={onClose} title={say(texts.check.title, { name: backup.label || backup.path })}>
      <Stack>
        {backup.encrypted ? (
          <PasswordInput
            label={texts.check.passphrase}
            autoComplete="off"
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
        ) : null}
        {found === undefined ? null : (
          <Alert color={found.restorable ? 'green' : 'red'} role="status">
            {found.restorable ? texts.check.good : texts.check.bad}
          </Alert>
        )}
        {found === undefined
          ? null
          : (Object.keys(texts.check.checks) as (keyof typeof found.checks)[]).map((name) => (
              <Group key={name} justify="space-between" wrap="nowrap">
                <Text size="sm">{texts.check.checks[name]}</Text>
                <StatusBadge
                  tone={
                    ({ ok: 'good', failed: 'bad', warning: 'warn', not_checked: 'idle' } as const)[found.checks[name]]
                  }
                  label={texts.check.results[found.checks[name]]}
                />
              </Group>
            ))}
        {[...(found?.errors ?? []), ...(found?.warnings ?? [])].map(({ code, path, message }) => (
          <Text key={`${code} ${path ?? ''}`} size="sm" c="dimmed">
            {message ?? `${code} ${path ?? ''}`}
          </Text>
        ))}
        {check.error === null ? null : <Failure error={check.error} />}
        <Group justify="flex-end">
          <Button
            loading={check.isPending}
            onClick={() => check.mutate({ body: { path: backup.path, ...(passphrase === '' ? {} : { passphrase }) } })}
          >
            {texts.check.go}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
