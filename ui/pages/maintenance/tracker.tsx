// Playhead's own tracker: export, import with a preview, and clearing.
import { Box, Button, Group, Select, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { at } from '../../api/base.ts'
import type { Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { uploadWithProgress } from '../../api/upload.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { RunProgress } from '../../parts/runs/run-progress.tsx'
import { featureName } from '../../parts/values/names.ts'
import { maintenance } from '../../texts/en/maintenance.ts'
import { say } from '../../texts/say.ts'
import { useInView } from '../../parts/page/use-in-view.ts'
import { Section } from './section.tsx'

const { tracker: texts } = maintenance
type Imported = Answer<'POST /api/maintenance/svc-tracker/import'>
const PERCENT = 100
/** The provider token of the tracker. */
const OWN = 'SVC'

export function Tracker() {
  const client = useQueryClient()
  const [instance, setInstance] = useState('default')
  const [share, setShare] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const [ref, isSeen] = useInView()
  const { data: providers } = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, { enabled: isSeen })
  const profiles = providers?.find(({ name }) => name === OWN)?.instances ?? []
  const query = useRead(
    ['maintenance', 'tracker'],
    'GET /api/maintenance/svc-tracker',
    { query: { provider_instance: instance } },
    { enabled: isSeen },
  )
  const refresh = [['maintenance'], ['library'], ['history'], ['watchlist']]
  const clear = useChange('POST /api/maintenance/svc-tracker/clear', {
    refresh,
    onDone: () => notifyDone(texts.cleared),
  })
  const send = useMutation<void, ApiError, File>({
    mutationFn: async (file) => {
      const path = (dry: boolean) =>
        `/api/maintenance/svc-tracker/import?${new URLSearchParams({ provider_instance: instance, dry_run: String(dry), ...(file.name.endsWith('.json') ? { filename: file.name } : {}) }).toString()}`
      setShare(0)
      const would = await uploadWithProgress<Imported>(path(true), file, setShare)
      const touches = Object.entries(would.rows).map(([feature, n]) =>
        say(texts.would, { feature: featureName(feature), n }),
      )
      const { importTitle, importText, importGo } = texts
      if (!(await confirm({ title: importTitle, text: importText, touches, action: importGo }))) return
      setShare(0)
      const done = await uploadWithProgress<Imported>(path(false), file, setShare)
      notifyDone(say(texts.imported, { n: Object.values(done.rows).reduce((sum, n) => sum + n, 0) }))
      await Promise.all(refresh.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
  })

  async function askClear() {
    const { clearTitle, clearText, clearGo } = texts
    if (await confirm({ title: clearTitle, text: clearText, touches: lines, action: clearGo }))
      clear.mutate({ body: { provider_instance: instance, confirm: true } })
  }
  const files = query.data?.state_files ?? []
  const lines = files.map(({ name, rows }) =>
    say(texts.would, { feature: featureName(name.replace('.json', '')), n: rows }),
  )

  return (
    <Section title={texts.title} text={texts.text} frame={ref}>
      {profiles.length < 2 ? null : (
        <Select
          label={texts.profile}
          data={profiles.map(({ id, label }) => ({ value: id, label: label || id }))}
          value={instance}
          allowDeselect={false}
          onChange={(value) => setInstance(value ?? 'default')}
          mb="sm"
        />
      )}
      {isSeen ? (
        <QueryView query={query} rows={2}>
          {({ exists, state_files: all }) =>
            exists ? (
              <ul className="plain-list">
                {all.map(({ name, rows }) => (
                  <Group key={name} component="li" justify="space-between" py="2xs" className="line">
                    <Text size="sm">{featureName(name.replace('.json', ''))}</Text>
                    <Text size="sm" c="dimmed">
                      {say(texts.rows, { n: rows })}
                    </Text>
                  </Group>
                ))}
              </ul>
            ) : (
              <Text size="sm" c="dimmed">
                {texts.empty}
              </Text>
            )
          }
        </QueryView>
      ) : (
        <Box h={48} />
      )}
      {send.isPending ? (
        <RunProgress
          label={say(texts.uploading, { name: send.variables.name })}
          done={Math.round(share * PERCENT)}
          total={PERCENT}
        />
      ) : null}
      {send.error === null ? null : <Failure error={send.error} />}
      {clear.error === null ? null : <Failure error={clear.error} />}
      <input
        ref={field}
        type="file"
        accept=".zip,.json"
        className="unseen"
        tabIndex={-1}
        aria-label={texts.importLabel}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file !== undefined) send.mutate(file)
          event.target.value = ''
        }}
      />
      <Group gap="xs" mt="sm">
        <Button
          component="a"
          href={at(`/api/maintenance/svc-tracker/export?provider_instance=${encodeURIComponent(instance)}`)}
          download
          size="xs"
          variant="default"
        >
          {texts.export}
        </Button>
        <Button size="xs" variant="default" loading={send.isPending} onClick={() => field.current?.click()}>
          {texts.import}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          disabled={query.data?.exists !== true}
          loading={clear.isPending}
          onClick={() => void askClear()}
        >
          {texts.clear}
        </Button>
      </Group>
    </Section>
  )
}
