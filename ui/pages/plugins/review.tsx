// The permissions that a plugin asks for, and the buttons that accept or drop it. None of its code has run yet.
import { Alert, Badge, Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

const { review: texts } = plugins

export type PluginPackage = Answer<'GET /api/plugin-packages'>['packages'][number]

/** A version that waits for a person. */
export interface Reviewed {
  readonly of: 'package' | 'folder'
  readonly id: string
  readonly name: string
  readonly version: string
  /** The version that is live; null before the first. */
  readonly from: string | null
  readonly asks: readonly { readonly text: string; readonly new?: boolean }[]
  readonly notes: readonly string[]
}

interface ReviewProps {
  readonly reviewed: Reviewed
  readonly onDone: (id: string) => void
  readonly onDropped: () => void
}

export function ReviewOf({ reviewed, onDone, onDropped }: ReviewProps) {
  const { of, id, name, version, from, asks, notes } = reviewed
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['plugins'] })
  const accept = useMutation<void, ApiError | Error>({
    mutationFn: async () => {
      const params = { id }
      const { ok, plugin } =
        of === 'folder'
          ? await api('POST /api/plugins/{id}/enable', { params, body: {} })
          : await api('POST /api/plugin-packages/{id}/accept', { params, body: { version } }).then((answer) => ({
              ok: answer.ok,
              plugin: answer.package.plugin,
            }))
      if (!ok) throw new Error(plugin?.last_error?.message ?? plugins.didNotStart)
      notifyDone(say(plugins.enabled, { name: plugin?.name ?? name }))
      onDone(id)
    },
    onSettled: refresh,
  })
  const drop = useMutation<unknown, ApiError>({
    mutationFn: () =>
      of === 'folder'
        ? api('DELETE /api/plugin-folders/{id}', { params: { id } })
        : api('POST /api/plugin-packages/{id}/discard', { params: { id }, body: {} }),
    onSuccess: onDropped,
    onSettled: refresh,
  })
  const added = asks.filter((ask) => ask.new === true)
  const shown = from === null ? asks : [...added, ...asks.filter((ask) => ask.new !== true)]
  const isBusy = accept.isPending || drop.isPending
  return (
    <Stack>
      <Text fw={600}>
        {from === null ? say(texts.first, { name, version }) : say(texts.update, { name, version, from })}
      </Text>
      <Text>
        {from !== null && added.length === 0 ? texts.nothingNew : from === null ? texts.asks : texts.asksMore}
      </Text>
      <List size="sm" spacing="2xs" aria-label={plugins.reach.title}>
        {shown.map(({ text, new: isNew }) => (
          <List.Item key={text}>
            {serviceText(text)}{' '}
            {from !== null && isNew === true ? (
              <Badge size="sm" color="orange" variant="light" tt="none">
                {texts.isNew}
              </Badge>
            ) : null}
          </List.Item>
        ))}
      </List>
      {notes.length === 0 ? null : (
        <Alert color="yellow" role="note">
          <List size="sm">
            {notes.map((note) => (
              <List.Item key={note}>{serviceText(note)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {texts.noFence}
      </Text>
      {accept.error === null ? null : <Failure error={accept.error} title={texts.failed} />}
      {drop.error === null ? null : <Failure error={drop.error} />}
      <Group justify="flex-end">
        <Button variant="default" loading={drop.isPending} disabled={isBusy} onClick={() => drop.mutate()}>
          {texts.drop}
        </Button>
        <Button data-autofocus loading={accept.isPending} disabled={isBusy} onClick={() => accept.mutate()}>
          {from === null ? plugins.enable : say(texts.accept, { version })}
        </Button>
      </Group>
    </Stack>
  )
}

export function reviewOf({ staged }: PluginPackage): Reviewed | null {
  return staged === null ? null : { ...staged, of: 'package', name: staged.package }
}

/** The review of a version that was fetched earlier. */
export function ReviewDialog({ reviewed, onClose }: { readonly reviewed: Reviewed; readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} size="lg" title={texts.title}>
      <ReviewOf reviewed={reviewed} onDone={onClose} onDropped={onClose} />
    </Modal>
  )
}
