// Chooses the account and content of a new capture.
import { Button, Modal, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/query.ts'
import { DialogButtons } from '../../parts/dialogs/dialog-buttons.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { featureName } from '../../parts/values/names.ts'
import { ServiceMark, serviceOption } from '../../parts/values/service-mark.tsx'
import { captures } from '../../texts/en/captures.ts'
import { say } from '../../texts/say.ts'
import type { Account } from './accounts.ts'
import { ALL } from './capture.ts'

const { dialog: texts } = captures

interface CreateDialogProps {
  readonly accounts: readonly Account[]
  readonly onClose: () => void
  readonly onStarted: (id: string) => void
}

export function CreateDialog({ accounts, onClose, onStarted }: CreateDialogProps) {
  const [account, setAccount] = useState<string | null>(accounts[0]?.value ?? null)
  const [feature, setFeature] = useState<string>(ALL)
  const [label, setLabel] = useState('')
  const start = useChange('POST /api/snapshots/create', {
    refresh: [['captures', 'list']],
    onDone: ({ progress_id: id }) => onStarted(id),
  })
  const chosen = accounts.find(({ value }) => value === account)
  return (
    <Modal opened onClose={onClose} title={texts.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen === undefined) return
          const { provider, instance } = chosen
          start.mutate({ body: { provider, instance, feature, label: label.trim(), background: true } })
        }}
      >
        <Stack>
          <AccountSelect accounts={accounts} value={account} onChange={setAccount} />
          <Radio.Group label={texts.what} value={feature} onChange={setFeature}>
            <Stack gap="xs" mt="xs">
              <Radio
                value={ALL}
                label={texts.all}
                description={say(texts.allText, { features: (chosen?.features ?? []).map(featureName).join(', ') })}
              />
              {(chosen?.features ?? []).map((one) => (
                <Radio key={one} value={one} label={featureName(one)} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            label={texts.label}
            description={texts.labelText}
            maxLength={100}
            dir="auto"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          {start.error === null ? null : <Failure error={start.error} />}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" loading={start.isPending} disabled={chosen === undefined}>
              {texts.go}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}

export function AccountSelect({
  accounts,
  value,
  onChange,
  label = texts.account,
}: {
  readonly accounts: readonly Account[]
  readonly value: string | null
  readonly onChange: (value: string | null) => void
  readonly label?: string
}) {
  const chosen = accounts.find((one) => one.value === value)
  return (
    <Select
      label={label}
      data={accounts.map((one) => ({ value: one.value, label: one.label }))}
      value={value}
      onChange={onChange}
      allowDeselect={false}
      leftSection={chosen === undefined ? null : <ServiceMark provider={chosen.provider} size={18} />}
      renderOption={serviceOption}
    />
  )
}
