// The first step: choose a file. Below it, supported formats and earlier imports.
import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconFileImport } from '@tabler/icons-react'
import { useRef, useState, type DragEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { useRead } from '../../api/query.ts'
import type { ApiError } from '../../api/error.ts'
import { upload } from '../../api/upload.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Pending } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { imports as texts } from '../../texts/en/import.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import type { Import } from './state.ts'
import { serviceText } from '../../texts/service-text.ts'
import { Mark } from '../../parts/values/service-mark.tsx'

export function Imports() {
  const formats = useRead(['import', 'formats'], 'GET /api/import/formats')
  return (
    <Page title={shell.pages.import} text={texts.intro}>
      <Stack gap="lg">
        <Drop />
        <Earlier />
        <Stack gap="sm" component="section" aria-label={texts.formats}>
          <Title order={2} size="h4">
            {texts.formats}
          </Title>
          <QueryView query={formats}>
            {(data) => (
              <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} component="ul" m={0} p={0}>
                {data.formats.map(({ id, label, hint, mark }) => (
                  <Paper key={id} withBorder p="md" component="li" style={{ listStyle: 'none' }}>
                    <Group gap="sm" wrap="nowrap" align="flex-start">
                      <Mark mark={mark} name={label} size={32} />
                      <div style={{ minWidth: 0 }}>
                        <Text fw={600}>{serviceText(label)}</Text>
                        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                          {serviceText(hint)}
                        </Text>
                      </div>
                    </Group>
                  </Paper>
                ))}
              </SimpleGrid>
            )}
          </QueryView>
        </Stack>
      </Stack>
    </Page>
  )
}

function Drop() {
  const [, navigate] = useLocation()
  const [isOver, setOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const leave = useRef(new AbortController())
  const read = useMutation<Import, ApiError, File>({
    mutationFn(file) {
      leave.current = new AbortController()
      return upload('/api/import/preview', file, leave.current.signal)
    },
    onSuccess: ({ import_id: id }) => navigate(`/import/${id}`),
  })
  const take = (files: FileList | null) => {
    const file = files?.[0]
    if (file !== undefined) read.mutate(file)
  }
  const hold = (event: DragEvent, over: boolean) => {
    event.preventDefault()
    setOver(over)
  }
  return (
    <Stack gap="sm">
      <Paper
        withBorder
        className="drop"
        data-over={isOver || undefined}
        onDragOver={(event) => hold(event, true)}
        onDragLeave={(event) => hold(event, false)}
        onDrop={(event) => {
          hold(event, false)
          take(event.dataTransfer.files)
        }}
      >
        <IconFileImport size={40} aria-hidden />
        <Text fw={600} size="lg" role="status">
          {read.isPending ? say(texts.drop.reading, { name: read.variables.name }) : texts.drop.title}
        </Text>
        <Text c="dimmed" size="sm">
          {texts.drop.text}
        </Text>
        {read.isPending ? (
          <Button variant="default" onClick={() => leave.current.abort()}>
            {texts.drop.cancel}
          </Button>
        ) : (
          <Button onClick={() => field.current?.click()}>{texts.drop.choose}</Button>
        )}
        <input
          ref={field}
          type="file"
          className="unseen"
          tabIndex={-1}
          aria-label={texts.drop.label}
          onChange={(event) => {
            take(event.target.files)
            event.target.value = ''
          }}
        />
      </Paper>
      {read.error === null || leave.current.signal.aborted ? null : <Failure error={read.error} />}
    </Stack>
  )
}

function Earlier() {
  const { data, error } = useRead(['import'], 'GET /api/import')
  if (data === undefined) return error === null ? <Pending /> : null
  if (data.imports.length === 0) return null
  return (
    <Stack gap="sm" component="section" aria-label={texts.before.title}>
      <Title order={2} size="h4">
        {texts.before.title}
      </Title>
      <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
        {data.imports.map(({ import_id: id, name, label, state, created_at: at }) => (
          <Group key={id} component="li" justify="space-between" py="sm" className="line">
            <div className="grow">
              <Anchor
                component={Link}
                href={`/import/${id}`}
                c="inherit"
                fw={600}
                aria-label={say(texts.before.open, { name })}
              >
                {name}
              </Anchor>
              <Text size="sm" c="dimmed">
                {serviceText(label)} · <TimeText at={at} />
              </Text>
            </div>
            <Text size="sm">{(texts.states as Readonly<Record<string, string>>)[state] ?? state}</Text>
          </Group>
        ))}
      </Paper>
    </Stack>
  )
}
