// Creates or edits a target. The form comes from the schema of its notifier.
import { Button, Menu, Modal, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useChange } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { SchemaForm } from '../../parts/schema-form/index.tsx'
import { notifications } from '../../texts/en/notifications.ts'
import { say } from '../../texts/say.ts'
import { formError, formSchema, KEY, type Notifier, type Target } from './state.ts'
import { serviceText } from '../../texts/service-text.ts'
import { Mark } from '../../parts/values/service-mark.tsx'

const { targets: texts } = notifications

/** A target that is being created (without `target`) or edited. */
export interface Draft {
  readonly notifier: Notifier
  readonly target: Target | null
}

export function AddTarget({
  notifiers,
  onChoose,
}: {
  readonly notifiers: readonly Notifier[]
  readonly onChoose: (notifier: Notifier) => void
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button leftSection={<IconPlus size={16} aria-hidden />}>{texts.add}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {notifiers.map((notifier) => (
          <Menu.Item
            key={notifier.id}
            leftSection={<Mark mark={notifier.mark} name={notifier.label} size={18} />}
            onClick={() => onChoose(notifier)}
          >
            {serviceText(notifier.label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

export function TargetDialog({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }) {
  const { notifier, target } = draft
  const [value, setValue] = useState<unknown>(
    target === null ? {} : { ...target.settings, name: target.name, enabled: target.enabled },
  )
  const schema = useMemo(() => formSchema(notifier.settings), [notifier])
  const save = useChange('POST /api/notifications/targets', {
    refresh: [KEY],
    onDone: ({ target: saved }) => {
      notifyDone(say(texts.saved, { name: saved.name }))
      onClose()
    },
  })
  const error = useMemo(() => formError(save.error), [save.error])

  function submit(given: unknown) {
    const { name, enabled, ...settings } = given as { name: string; enabled?: boolean } & Record<string, unknown>
    save.mutate({
      body: { id: target?.id, notifier: notifier.id, name: name.trim(), enabled: enabled ?? true, settings },
    })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={
        target === null
          ? say(texts.new, { label: serviceText(notifier.label) })
          : say(notifications.change, { name: target.name })
      }
    >
      <Stack>
        {notifier.hint === null ? null : (
          <Text size="sm" c="dimmed">
            {serviceText(notifier.hint)}
          </Text>
        )}
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          onSubmit={submit}
          submitText={notifications.save}
          isBusy={save.isPending}
          error={error}
        />
        {save.error === null ? null : <Failure error={save.error} />}
      </Stack>
    </Modal>
  )
}
