import { openRegular } from '../../disk/open-regular.js';

const signature = /^# v[23] git bundle\n/;

/** Whether a file begins as a bundle does (gitformat-bundle(5)). */
export async function isBundle(file: string): Promise<boolean> {
  const handle = await openRegular(file, 'followed');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return signature.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await handle.close();
  }
}
