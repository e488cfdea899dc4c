// Checks a backup, explains problems, and restores it.
import { Alert, Button, Group, List, Loader, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useChange } from '../../api/query.ts'
import { Facts } from '../../parts/lists/facts.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { StepBar } from '../../parts/page/step-bar.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { exactTime } from '../../parts/values/time-text.tsx'
import { backups } from '../../texts/en/backups.ts'
import { say } from '../../texts/say.ts'
import type { Backup } from './data.ts'

const { check: texts, restore } = backups
const TONES = { ok: 'good', failed: 'bad', warning: 'warn', not_checked: 'idle' } as const
const S = 1_000

interface Problem {
  readonly code: string
  readonly path?: string
  readonly message?: string
}

interface RestoreDialogProps {
  readonly backup: Backup
  readonly isRestore: boolean
  readonly onClose: () => void
  readonly onRestarting: () => void
}

export function RestoreDialog({ backup, isRestore, onClose, onRestarting }: RestoreDialogProps) {
  const { path, encrypted, mtime, size, scope, app_version: version } = backup
  const [passphrase, setPassphrase] = useState('')
  const [isConfirming, setConfirming] = useState(false)
  const [word, setWord] = useState('')
  const check = useChange('POST /api/backups/validate')
  const start = useChange('POST /api/backups/restore', { onDone: onRestarting })
  const found = check.data?.validation
  const body = { path, ...(passphrase === '' ? {} : { passphrase }) }
  const name = backup.label || exactTime(mtime * S)

  // The passphrase is needed first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (!encrypted) check.mutate({ body })
  }, [])

  return (
    <Modal opened onClose={onClose} size="lg" title={say(isRestore ? restore.title : texts.title, { name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isConfirming) start.mutate({ body: { ...body, restart: true } })
          else if (isRestore && found?.restorable === true) setConfirming(true)
          else check.mutate({ body })
        }}
      >
        <Stack>
          {isRestore ? (
            <StepBar
              label={say(restore.title, { name })}
              steps={[restore.steps.check, restore.steps.confirm]}
              current={isConfirming ? 1 : 0}
            />
          ) : null}
          <Facts
            facts={[
              [restore.facts.made, exactTime(mtime * S)],
              [restore.facts.size, bytesText(size)],
              [restore.facts.scope, scope === undefined ? null : backups.scopes[scope]],
              [restore.facts.version, version ?? null],
            ]}
          />
          {isConfirming ? (
            <>
              <Alert color="orange">{say(restore.text, { at: exactTime(mtime * S) })}</Alert>
              <TextInput
                label={say(restore.type, { word: restore.word })}
                autoComplete="off"
                data-autofocus
                value={word}
                onChange={(event) => setWord(event.currentTarget.value)}
              />
              {start.isPending ? <Working text={restore.working} /> : null}
              {start.error === null ? null : <Failure error={start.error} />}
            </>
          ) : (
            <>
              {encrypted ? (
                <PasswordInput
                  label={texts.passphrase}
                  description={texts.passphraseText}
                  autoComplete="off"
                  data-autofocus
                  value={passphrase}
                  onChange={(event) => {
                    setPassphrase(event.currentTarget.value)
                    check.reset()
                  }}
                />
              ) : null}
              {check.isPending ? <Working text={texts.checking} /> : null}
              {found === undefined ? null : (
                <>
                  <Alert color={found.restorable ? 'green' : 'red'} role="status">
                    <Text fw={600}>{found.restorable ? texts.good : texts.bad}</Text>
                    <Problems problems={[...found.errors, ...found.warnings]} isOpen={found.checks.members === 'ok'} />
                  </Alert>
                  <Stack gap="2xs">
                    {(Object.keys(texts.checks) as (keyof typeof found.checks)[]).map((one) => (
                      <Group key={one} justify="space-between" wrap="nowrap">
                        <Text size="sm">{texts.checks[one]}</Text>
                        <StatusBadge tone={TONES[found.checks[one]]} label={texts.results[found.checks[one]]} />
                      </Group>
                    ))}
                  </Stack>
                </>
              )}
              {check.error === null ? null : <Failure error={check.error} />}
            </>
          )}
          <Group justify="flex-end">
            {isConfirming ? (
              <>
                <Button variant="default" disabled={start.isPending} onClick={() => setConfirming(false)}>
                  {restore.back}
                </Button>
                <Button type="submit" color="red.9" loading={start.isPending} disabled={word !== restore.word}>
                  {restore.go}
                </Button>
              </>
            ) : (
              <>
                <Button
                  type={isRestore && found?.restorable === true ? 'button' : 'submit'}
                  variant={isRestore ? 'default' : 'filled'}
                  loading={check.isPending}
                  onClick={isRestore && found?.restorable === true ? () => check.mutate({ body }) : undefined}
                >
                  {texts.go}
                </Button>
                {isRestore ? (
                  <Button type="submit" disabled={found?.restorable !== true}>
                    {restore.next}
                  </Button>
                ) : null}
              </>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function Working({ text }: { readonly text: string }) {
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" />
      <Text size="sm">{text}</Text>
    </Group>
  )
}

/**
 * Lists each problem once as a sentence. A problem without a text is named by its code and file. In an opened backup, a
 * wrong passphrase is that of the environment.
 */
function Problems({ problems, isOpen }: { readonly problems: readonly Problem[]; readonly isOpen: boolean }) {
  const known: Readonly<Record<string, string>> = texts.problems
  const lines = [
    ...new Set(
      problems.map(
        ({ code, path, message }) =>
          known[isOpen && code === 'passphrase_wrong' ? 'environment_wrong' : code] ??
          message ??
          [code, path].filter(Boolean).join(' '),
      ),
    ),
  ]
  return lines.length === 0 ? null : (
    <List size="sm" mt="2xs">
      {lines.map((line) => (
        <List.Item key={line} style={{ overflowWrap: 'anywhere' }}>
          {line}
        </List.Item>
      ))}
    </List>
  )
}
