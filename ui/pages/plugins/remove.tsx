// Removes a plugin, with the choice to delete what it stored. Pairs of its accounts would have nothing to sync then.
import { Button, Checkbox, List, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { DialogButtons } from '../../parts/dialogs/dialog-buttons.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import type { PluginSummary } from '../../parts/plugins/use-plugins.ts'
import { useNames } from '../../parts/values/names.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'

const { origin: texts } = plugins
const { removeAsk: ask } = texts

interface RemoveProps {
  readonly plugin: Pick<PluginSummary, 'id' | 'name' | 'provider'>
  readonly of: 'package' | 'folder'
  /** The page afterwards. */
  readonly to: string
}

export function Remove(props: RemoveProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button
        variant="default"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {texts.remove}
      </Button>
      {isAsking ? (
        <Modal opened onClose={() => setAsking(false)} title={say(ask.title, { name: props.plugin.name })}>
          <Question {...props} onClose={() => setAsking(false)} />
        </Modal>
      ) : null}
    </>
  )
}

function Question({ plugin: { id, name, provider }, of, to, onClose }: RemoveProps & { readonly onClose: () => void }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const names = useNames()
  const [isForgotten, setForgotten] = useState(false)
  const known = useRead(['pairs'], 'GET /api/pairs', undefined, { enabled: provider !== null })
  const pairs = (known.data ?? []).filter(({ source, target }) => [source, target].includes(provider?.id ?? ''))
  const remove = useMutation<void, ApiError>({
    mutationFn: async () => {
      if (isForgotten)
        for (const pair of pairs) await api('DELETE /api/pairs/{pair_id}', { params: { pair_id: pair.id } })
      const input = { params: { id }, query: { data: isForgotten ? 'delete' : 'keep' } } as const
      await (of === 'package'
        ? api('DELETE /api/plugin-packages/{id}', input)
        : api('DELETE /api/plugin-folders/{id}', input))
    },
    onSuccess: () => {
      notifyDone(say(texts.removed, { name }))
      onClose()
      navigate(to)
    },
    onSettled: () => Promise.all([['plugins'], ['pairs']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        remove.mutate()
      }}
    >
      <Stack>
        <Text>
          {ask.text} {isForgotten ? null : ask.kept}
        </Text>
        <Checkbox
          label={ask.forget}
          description={ask.forgetText}
          checked={isForgotten}
          onChange={(event) => setForgotten(event.currentTarget.checked)}
        />
        {isForgotten && pairs.length > 0 ? (
          <div>
            <Text size="sm" fw={600}>
              {ask.pairs}
            </Text>
            <List size="sm">
              {pairs.map((pair) => (
                <List.Item key={pair.id}>
                  {pair.name ||
                    say(runs.pairName, {
                      source: names.account(pair.source, pair.source_instance),
                      target: names.account(pair.target, pair.target_instance),
                    })}
                </List.Item>
              ))}
            </List>
          </div>
        ) : null}
        {remove.error === null ? null : <Failure error={remove.error} />}
        <DialogButtons onCancel={onClose}>
          <Button
            type="submit"
            color="red"
            loading={remove.isPending}
            disabled={isForgotten && provider !== null && known.data === undefined}
          >
            {isForgotten ? ask.all : texts.remove}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  )
}
