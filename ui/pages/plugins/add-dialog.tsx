// Adds a plugin from npm, from a file or from a folder of the machine: name it, read what it asks for, turn it on.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconFileZip } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { upload } from '../../api/upload.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'
import { ReviewOf, type Reviewed } from './review.tsx'

const { add: texts } = plugins

type Staged = Answer<'POST /api/plugin-packages'>
/** A path, as opposed to the name of a package. */
const PATH = /^([\\/.~]|[A-Za-z]:[\\/])/

export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const [source, setSource] = useState('')
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const look = useMutation<Reviewed | null, ApiError, string | File>({
    mutationFn: async (given) => {
      if (typeof given === 'string' && PATH.test(given)) {
        const found = await api('POST /api/plugin-folders', { body: { folder: given } })
        return { ...found, of: 'folder', from: null }
      }
      const answer =
        typeof given === 'string'
          ? await api('POST /api/plugin-packages', { body: { package: given } })
          : await upload<Staged>('/api/plugin-packages/file', given)
      const { id, staged, plugin } = answer.package
      if (staged !== null && answer.state === 'review') return { ...staged, of: 'package', name: staged.package }
      notifyDone(say(answer.state === 'newest' ? texts.newest : texts.updated, { name: plugin?.name ?? id }))
      leave(id)
      return null
    },
    onSuccess: async (found) => {
      setReviewed(found)
      await client.invalidateQueries({ queryKey: ['plugins'] })
    },
  })

  function leave(id: string) {
    onClose()
    navigate(`/plugins/${encodeURIComponent(id)}`)
  }

  return (
    <Modal opened onClose={onClose} size="lg" title={texts.title}>
      {reviewed === null ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (source.trim() !== '') look.mutate(source.trim())
          }}
        >
          <Stack>
            <TextInput
              data-autofocus
              label={texts.source}
              description={texts.sourceText}
              placeholder="playhead-plugin-…"
              autoComplete="off"
              spellCheck={false}
              value={source}
              onChange={(event) => setSource(event.currentTarget.value)}
            />
            <input
              ref={field}
              type="file"
              accept=".tgz,.tar.gz"
              className="unseen"
              tabIndex={-1}
              aria-label={texts.fileLabel}
              onChange={(event) => {
                const file = event.target.files?.[0]
                if (file !== undefined) look.mutate(file)
                event.target.value = ''
              }}
            />
            <Text size="sm" c="dimmed">
              {texts.trust}
            </Text>
            {look.error === null ? null : <Failure error={look.error} title={texts.refused} />}
            <Group justify="space-between">
              <Button
                variant="default"
                leftSection={<IconFileZip size={16} aria-hidden />}
                onClick={() => field.current?.click()}
              >
                {texts.file}
              </Button>
              <Group>
                <Button variant="default" onClick={onClose}>
                  {plugins.cancel}
                </Button>
                <Button type="submit" loading={look.isPending} disabled={source.trim() === ''}>
                  {texts.look}
                </Button>
              </Group>
            </Group>
          </Stack>
        </form>
      ) : (
        <ReviewOf reviewed={reviewed} onDone={leave} onDropped={onClose} />
      )}
    </Modal>
  )
}
