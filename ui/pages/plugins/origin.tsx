// Where an added plugin came from, and what can be done about its version: update, roll back, remove.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconArrowBackUp, IconDownload, IconPuzzle } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Facts } from '../../parts/lists/facts.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'
import type { PluginDetail } from './data.ts'
import { Remove } from './remove.tsx'
import { ReviewDialog, reviewOf, type PluginPackage } from './review.tsx'

const { origin: texts } = plugins

const SOURCES = { npm: texts.npm, file: texts.file, directory: texts.directory } as const

export const PACKAGES = ['plugins', 'packages'] as const

export function Origin({ plugin }: { readonly plugin: PluginDetail }) {
  const query = useRead(PACKAGES, 'GET /api/plugin-packages')
  return (
    <QueryView query={query} rows={2}>
      {({ packages }) => {
        const found = packages.find(({ id }) => id === plugin.id)
        return found === undefined ? <FromFolder plugin={plugin} /> : <FromPackage plugin={plugin} found={found} />
      }}
    </QueryView>
  )
}

function FromFolder({ plugin }: { readonly plugin: PluginDetail }) {
  return (
    <Stack gap="sm">
      <Text>{texts.folder}</Text>
      <Group>
        <Remove plugin={plugin} of="folder" to="/plugins" />
      </Group>
    </Stack>
  )
}

function FromPackage({ plugin, found }: { readonly plugin: PluginDetail; readonly found: PluginPackage }) {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['plugins'] })
  const [isReviewing, setReviewing] = useState(false)
  const reviewed = reviewOf(found)
  const { id, name } = plugin
  const update = useMutation({
    mutationFn: () => api('POST /api/plugin-packages/{id}/update', { params: { id }, body: {} }),
    onSuccess: ({ state, ok, package: { version } }) => {
      if (state === 'review') setReviewing(true)
      if (state !== 'updated') return
      if (ok) notifyDone(say(texts.updated, { name, version: version ?? '' }))
      else notifyFailure(new Error(say(texts.notUpdated, { name, version: version ?? '' })))
    },
    onError: (error) => notifyFailure(error),
    onSettled: refresh,
  })
  const { rolled_back: rolledBack, previous } = found
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          [SOURCES[found.source], found.package],
          [plugins.columns.version, found.version],
          [texts.previous, previous],
          [texts.trial, found.trial === null ? null : texts.trialText],
        ]}
      />
      {rolledBack === null ? null : (
        <Alert color="orange" title={say(texts.rolledBack, { version: rolledBack.version })}>
          {rolledBack.reason} <TimeText at={rolledBack.at} />
        </Alert>
      )}
      {reviewed === null ? null : (
        <Alert color="yellow" title={say(texts.waits, { version: reviewed.version })}>
          <Button size="xs" variant="default" onClick={() => setReviewing(true)}>
            {texts.review}
          </Button>
        </Alert>
      )}
      <Group>
        {found.source === 'npm' ? (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={update.isPending}
            onClick={() => update.mutate()}
          >
            {texts.update}
          </Button>
        ) : found.source === 'file' ? (
          <Text size="sm" c="dimmed">
            {texts.fileText}
          </Text>
        ) : (
          <Button
            component={Link}
            href={`/plugin-directory/${encodeURIComponent(id)}`}
            variant="default"
            leftSection={<IconPuzzle size={16} aria-hidden />}
          >
            {texts.toDirectory}
          </Button>
        )}
        {previous === null ? null : <RollBack id={id} name={name} previous={previous} />}
        <Remove plugin={plugin} of="package" to="/plugins" />
      </Group>
      {update.data?.state === 'newest' ? (
        <Text size="sm" role="status">
          {say(texts.newest, { name, version: found.version ?? '' })}
        </Text>
      ) : null}
      {isReviewing && reviewed !== null ? (
        <ReviewDialog reviewed={reviewed} onClose={() => setReviewing(false)} />
      ) : null}
    </Stack>
  )
}

export function RollBack({
  id,
  name,
  previous,
}: {
  readonly id: string
  readonly name: string
  readonly previous: string
}) {
  const client = useQueryClient()
  const rollBack = useMutation({
    mutationFn: () => api('POST /api/plugin-packages/{id}/rollback', { params: { id }, body: {} }),
    onSuccess: ({ package: { version } }) => notifyDone(say(texts.rolledBackTo, { name, version: version ?? '' })),
    onError: (error) => notifyFailure(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['plugins'] }),
  })
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      loading={rollBack.isPending}
      onClick={() => rollBack.mutate()}
    >
      {say(texts.rollBack, { version: previous })}
    </Button>
  )
}
