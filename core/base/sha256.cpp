#include "core/base/sha256.h"

#include <openssl/evp.h>

#include <new>

namespace hyb {

Sha256::Sha256() : state_(EVP_MD_CTX_new()) {
  if (!state_ || EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}

void Sha256::update(const void* data, std::size_t bytes) noexcept { EVP_DigestUpdate(state_.get(), data, bytes); }

Sha256::Digest Sha256::digest() {
  Digest bytes{};
  EVP_DigestFinal_ex(state_.get(), bytes.data(), nullptr);
  return bytes;
}

std::string Sha256::hex() {
  std::string text;
  for (const std::uint8_t byte : digest())
    for (const int half : {byte >> 4, byte & 15}) text += "0123456789abcdef"[half];
  return text;
}

void Sha256::Free::operator()(evp_md_ctx_st* state) const noexcept { EVP_MD_CTX_free(state); }

}  // namespace hyb
