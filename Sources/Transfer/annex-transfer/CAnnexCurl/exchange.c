#include "CAnnexCurl.h"

CURLcode annex_curl_set_calls(CURL *easy, const struct annex_curl_calls *calls) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, calls->body);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_WRITEDATA, calls->context);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, calls->header);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_HEADERDATA, calls->context);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_READFUNCTION, calls->read);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_READDATA, calls->context);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, calls->seek);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_SEEKDATA, calls->context);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, calls->progress);
    if (!result) result = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, calls->context);
    return result;
}

struct annex_curl_times annex_curl_times(CURL *easy) {
    struct annex_curl_times times = {0, 0, 0};
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &times.error);
    curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &times.ready);
    curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &times.total);
    return times;
}
