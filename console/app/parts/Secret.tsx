// A token that the service shows only once.
import { useState, type ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';

interface Props {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export function Secret({ title, secret, onClose }: Props): ReactNode {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(secret);
    setCopied(true);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>This is shown only now. Keep it where others cannot read it; the service stores only a digest of it.</p>
      <output className="secret">{secret}</output>
      <div className="row end">
        <button type="button" onClick={() => void copy().catch(() => setCopied(false))}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" className="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
