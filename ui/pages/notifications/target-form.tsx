// Creates or edits a target. The form comes from the schema of its notifier.
import { Button, Checkbox, Menu, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconPlus } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { api, type Body } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { SchemaForm } from '../../parts/schema-form/index.tsx'
import { notifications } from '../../texts/en/notifications.ts'
import { say } from '../../texts/say.ts'
import {
  failureRule,
  formError,
  formSchema,
  KEY,
  type Notifier,
  type Overview,
  reasonText,
  type Target,
} from './state.ts'
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

/** The kinds of channels in a dialog, for a link that leads to a new one. */
export function ChooseTarget({
  notifiers,
  onChoose,
  onClose,
}: {
  readonly notifiers: readonly Notifier[]
  readonly onChoose: (notifier: Notifier) => void
  readonly onClose: () => void
}) {
  return (
    <Modal opened onClose={onClose} title={texts.add}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {notifiers.map((notifier) => (
          <Button
            key={notifier.id}
            variant="default"
            justify="flex-start"
            leftSection={<Mark mark={notifier.mark} name={notifier.label} size={18} />}
            onClick={() => onChoose(notifier)}
          >
            {serviceText(notifier.label)}
          </Button>
        ))}
      </SimpleGrid>
    </Modal>
  )
}

interface TargetDialogProps {
  readonly overview: Overview
  readonly draft: Draft
  readonly onClose: () => void
}

export function TargetDialog({ overview, draft, onClose }: TargetDialogProps) {
  const { notifier, target } = draft
  const label = serviceText(notifier.label)
  const [value, setValue] = useState<unknown>(
    target === null ? { name: label } : { ...target.settings, name: target.name, enabled: target.enabled },
  )
  const [getsFailures, setGetsFailures] = useState(true)
  const client = useQueryClient()
  const schema = useMemo(() => formSchema(notifier.settings), [notifier])
  const save = useMutation<Target, ApiError, Body<'POST /api/notifications/targets'>>({
    mutationFn: async (body) => (await api('POST /api/notifications/targets', { body })).target,
    onSuccess: async (saved) => {
      // The channel is stored: what fails from here on is shown beside it.
      onClose()
      if (target !== null) notifyDone(say(texts.saved, { name: saved.name }))
      else await introduce(overview, saved, { label, getsFailures }).catch((failure: unknown) => notifyFailure(failure))
      await client.invalidateQueries({ queryKey: KEY })
    },
  })
  const error = useMemo(() => formError(save.error), [save.error])

  function submit(given: unknown) {
    const { name, enabled, ...settings } = given as { name: string; enabled?: boolean } & Record<string, unknown>
    save.mutate({ id: target?.id, notifier: notifier.id, name: name.trim(), enabled: enabled ?? true, settings })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={target === null ? say(texts.new, { label }) : say(notifications.change, { name: target.name })}
    >
      <Stack>
        {notifier.hint === null ? null : (
          <Text size="sm" c="dimmed">
            {serviceText(notifier.hint)}
          </Text>
        )}
        {target !== null ? null : (
          <Checkbox
            label={texts.failures}
            description={texts.failuresText}
            checked={getsFailures}
            onChange={(event) => setGetsFailures(event.currentTarget.checked)}
          />
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

/** Sends the first message to a new channel, and adds the channel to the rule of failures. */
async function introduce(
  { events }: Pick<Overview, 'events'>,
  { id, name, enabled }: Target,
  { label, getsFailures }: { readonly label: string; readonly getsFailures: boolean },
): Promise<void> {
  if (getsFailures) {
    // Read now: another tab may have changed the rule since the page was shown.
    const { rules } = await api('GET /api/notifications/rules', {})
    const known = rules.find((rule) => rule.enabled && rule.events.includes('run_failed'))
    const rule = known ?? { ...failureRule(events), name: texts.failuresName }
    await api('POST /api/notifications/rules', { body: { ...rule, targets: [...rule.targets, id] } })
  }
  if (!enabled) return notifyDone(say(texts.saved, { name }))
  const { ok, error } = await api('POST /api/notifications/test', { body: { target: id } })
  if (ok) notifyDone(say(texts.arrived, { label }))
  else notifyFailure(new Error(say(texts.failed, { reason: reasonText(error ?? '') })))
}
