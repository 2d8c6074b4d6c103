/** Copying, said aloud when it is done. */
import { Box, Button, Code, Group } from '@mantine/core'
import { useState } from 'react'
import { visibleText } from '@toolway/contract'
import { texts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

export interface CopyButtonProps {
  readonly value: string | (() => string)
  /** Unique on its screen: "Copy the key", not "Copy". */
  readonly label: string
  readonly onCopied?: () => void
}

const SAID_MS = 2_000

export function CopyButton({ value, label, onCopied }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await writeText(typeof value === 'string' ? value : value())
    setCopied(true)
    setTimeout(() => setCopied(false), SAID_MS)
    onCopied?.()
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{copied ? texts.copied : label}</span>
    </Button>
  )
}

/** The clipboard is only there over https and on this machine; elsewhere a field that is selected does it. */
async function writeText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

/** A text that is there to be copied: an address, a command, a configuration. */
export function CopyField({ value, label, copyLabel }: { value: string; label: string; copyLabel: string }) {
  return (
    <Box>
      <Group justify="space-between" align="center" mb={4} gap="xs">
        <Box component="span" fw={600} fz="sm">
          {label}
        </Box>
        <CopyButton value={value} label={copyLabel} />
      </Group>
      <CodeBlock label={label}>{value}</CodeBlock>
    </Box>
  )
}

/** Can be reached by keyboard, since it may have to be scrolled. */
export function CodeBlock({ children, label, height = 420 }: { children: string; label: string; height?: number }) {
  return (
    <Code
      block
      tabIndex={0}
      role="region"
      aria-label={label}
      mah={height}
      style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
    >
      {visibleText(children)}
    </Code>
  )
}
