// Selects the content of a backup, and shows the progress.
import { Button, Checkbox, Modal, PasswordInput, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { DialogButtons } from '../../parts/dialogs/dialog-buttons.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { RunProgress } from '../../parts/runs/run-progress.tsx'
import { backups } from '../../texts/en/backups.ts'

const { dialog: texts, scopes } = backups
type Scope = keyof typeof scopes
const POLL_MS = 500

export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [scope, setScope] = useState<Scope>('app_state')
  const [label, setLabel] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const [hasKey, setKey] = useState(true)
  const create = useChange('POST /api/backups/create', {
    refresh: [['backups']],
    onDone: () => {
      notifyDone(texts.done)
      onClose()
    },
  })
  const { data } = useRead(['backups', 'job'], 'GET /api/backups/job', undefined, {
    enabled: create.isPending,
    refetchInterval: POLL_MS,
  })
  const job = data?.job
  return (
    <Modal opened onClose={onClose} title={texts.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({
            body: {
              scope,
              include_key: hasKey,
              ...(label === '' ? {} : { label }),
              ...(passphrase === '' ? {} : { passphrase }),
            },
          })
        }}
      >
        <Stack>
          <Radio.Group label={texts.scope} value={scope} onChange={(next) => setScope(next as Scope)}>
            <Stack gap="xs" mt="xs">
              {(Object.keys(scopes) as Scope[]).map((one) => (
                <Radio key={one} value={one} label={scopes[one]} description={texts.scopeTexts[one]} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput label={texts.label} value={label} onChange={(event) => setLabel(event.currentTarget.value)} />
          <PasswordInput
            label={texts.passphrase}
            description={texts.passphraseText}
            autoComplete="new-password"
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
          <Checkbox label={texts.key} checked={hasKey} onChange={(event) => setKey(event.currentTarget.checked)} />
          {create.isPending && job != null && job.kind === 'backup' && job.state === 'running' ? (
            <RunProgress label={texts.title} done={job.done_bytes} total={job.total_bytes || null} />
          ) : null}
          {create.error === null ? null : <Failure error={create.error} />}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" loading={create.isPending}>
              {texts.go}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
