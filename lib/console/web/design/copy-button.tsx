import { Check, Copy } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { announce } from './announce.tsx';

/** Copies a text to the clipboard, and says so. */
export function CopyButton({ text, label }: { text: string; label: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    announce('Copied.');
  };
  return <IconButton label={label} icon={isCopied ? Check : Copy} onClick={() => void copy()} />;
}

/** The clipboard's interface exists over https and on the machine itself only; elsewhere a selection is copied. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
