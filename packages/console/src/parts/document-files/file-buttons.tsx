/** The buttons that open files: a configuration, a document with its files or as a ZIP archive, or a folder. */
import { Button, FileButton, Group } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { uploadOf, type Upload } from './upload.ts'

const t = texts.connect.what

/** An attribute of every browser that the types of React do not have. */
const FOLDER: object = { webkitdirectory: '' }

export interface FileButtonsProps {
  readonly onUpload: (upload: Upload) => void
  /** Endings of the files that can be opened. */
  readonly accept: string
  readonly variant?: 'subtle' | 'default'
  readonly disabled?: boolean
}

export function FileButtons({ onUpload, accept, variant = 'subtle', disabled = false }: FileButtonsProps) {
  const open = (files: readonly File[]) => {
    if (files.length > 0) void uploadOf(files).then(onUpload)
  }
  const look = {
    variant,
    disabled,
    size: variant === 'subtle' ? 'xs' : 'sm',
    leftSection: <Icon name="file" size={14} />,
  }
  return (
    <Group gap="xs">
      <FileButton multiple accept={accept} onChange={open} disabled={disabled} inputProps={{ 'aria-label': t.file }}>
        {({ onClick }) => (
          <Button {...look} onClick={onClick}>
            {t.file}
          </Button>
        )}
      </FileButton>
      <FileButton multiple onChange={open} disabled={disabled} inputProps={{ ...FOLDER, 'aria-label': t.folder }}>
        {({ onClick }) => (
          <Button {...look} onClick={onClick}>
            {t.folder}
          </Button>
        )}
      </FileButton>
    </Group>
  )
}
