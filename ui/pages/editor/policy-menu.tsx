// Exports and imports blocks and added rows of all accounts as a file.
import { ActionIcon, Button, Menu, Modal, Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconDots, IconDownload, IconUpload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { at } from '../../api/base.ts'
import type { Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { upload } from '../../api/upload.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { DialogButtons } from '../../parts/dialogs/dialog-buttons.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { editor } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'

const { file: texts } = editor
type Imported = Answer<'POST /api/editor/state/manual/import'>

export function PolicyMenu() {
  const field = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File | null>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        accept="application/json,.json"
        className="unseen"
        tabIndex={-1}
        aria-label={texts.label}
        onChange={(event) => {
          setFile(event.target.files?.[0] ?? null)
          event.target.value = ''
        }}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={texts.menu}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{texts.menu}</Menu.Label>
          <Menu.Item
            component="a"
            href={at('/api/editor/state/manual/export')}
            download="playhead-manual.json"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {texts.download}
          </Menu.Item>
          <Menu.Item leftSection={<IconUpload size={16} aria-hidden />} onClick={() => field.current?.click()}>
            {texts.upload}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {file === null ? null : <ImportDialog file={file} onClose={() => setFile(null)} />}
    </>
  )
}

function ImportDialog({ file, onClose }: { readonly file: File; readonly onClose: () => void }) {
  const client = useQueryClient()
  const [mode, setMode] = useState('merge')
  const send = useMutation<Imported | undefined, ApiError, boolean>({
    mutationFn: (isDry) =>
      acrossPersons(async (confirmed) => {
        const query = new URLSearchParams({ mode, dry_run: String(isDry) })
        if (confirmed.across_persons === true) query.set('across_persons', 'true')
        return (await upload(`/api/editor/state/manual/import?${query}`, file)) as Imported
      }),
    onSuccess: async (imported) => {
      if (imported === undefined || imported.dry_run) return
      notifyDone(texts.done)
      onClose()
      await client.invalidateQueries({ queryKey: ['editor'] })
    },
  })
  const { data } = send
  return (
    <Modal opened onClose={onClose} title={texts.importTitle}>
      <Stack>
        <Radio.Group label={texts.mode} value={mode} onChange={setMode}>
          <Stack gap="xs" mt="xs">
            <Radio value="merge" label={texts.merge} />
            <Radio value="replace" label={texts.replace} />
          </Stack>
        </Radio.Group>
        {send.error === null ? null : <Failure error={send.error} />}
        {data === undefined ? null : (
          <Text size="sm" role="status">
            {say(texts.importText, { adds: data.adds, blocks: data.blocks })}
          </Text>
        )}
        <DialogButtons onCancel={onClose}>
          {data === undefined ? (
            <Button loading={send.isPending} onClick={() => send.mutate(true)}>
              {editor.changes.review}
            </Button>
          ) : (
            <Button loading={send.isPending} onClick={() => send.mutate(false)}>
              {texts.go}
            </Button>
          )}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}
