/// The worker: it answers one request after the other.

let answer = null;

onmessage = async ({ data }) => {
  if (data.module) {
    try {
      answer = await engineOf(data.module);
      postMessage({ ready: true });
    } catch (error) {
      postMessage({ failed: String(error) });
    }
    return;
  }
  const began = performance.now();
  try {
    const text = answer(JSON.stringify(data.request));
    postMessage({ id: data.id, answer: JSON.parse(text), time: performance.now() - began });
  } catch (error) {
    postMessage({ id: data.id, failed: String(error), time: performance.now() - began });
  }
};
